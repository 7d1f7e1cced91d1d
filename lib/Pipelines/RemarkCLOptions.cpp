// Remarks as diagnostics, or as a YAML or bitstream file.
#include "partita/Pipelines/RemarkCLOptions.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Remark/RemarkStreamer.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
namespace cl = llvm::cl;

namespace partita {

RemarkCLOptions::RemarkCLOptions(cl::OptionCategory &category)
    : filter("remarks-filter",
             cl::desc("emit remarks of the categories that match, e.g. plan"),
             cl::cat(category)),
      format("remark-format",
             cl::desc("emitRemark (diagnostics), yaml or bitstream"),
             cl::init("emitRemark"), cl::cat(category)),
      outputFile("remarks-output-file",
                 cl::desc("file for yaml or bitstream (default: "
                          "mlir-remarks.yaml, mlir-remarks.bitstream)"),
                 cl::cat(category)) {}

static LogicalResult refuse(const Twine &message, StringRef fix) {
  llvm::errs() << "error: " << message << "\n"
               << "note: fix: " << fix << "\n";
  return failure();
}

LogicalResult RemarkCLOptions::enable(MLIRContext &context) const {
  if (!areAsked())
    return success();
  std::string pattern = filter;
  if (std::string error; !llvm::Regex(pattern).isValid(error))
    return refuse("--remarks-filter: " + error,
                  "use a regular expression over categories: plan, placement");
  remark::RemarkCategories categories{pattern, pattern, pattern, pattern,
                                      pattern};
  auto policy = std::make_unique<remark::RemarkEmittingPolicyAll>();
  if (format == "emitRemark")
    return remark::enableOptimizationRemarks(context, nullptr,
                                             std::move(policy), categories,
                                             /*printAsEmitRemarks=*/true);
  if (format != "yaml" && format != "bitstream")
    return refuse("unknown remark format '" + format + "'",
                  "use --remark-format=emitRemark, yaml or bitstream");
  std::string path =
      outputFile.empty() ? "mlir-remarks." + format : std::string(outputFile);
  if (failed(remark::enableOptimizationRemarksWithLLVMStreamer(
          context, path,
          format == "yaml" ? llvm::remarks::Format::YAML
                           : llvm::remarks::Format::Bitstream,
          std::move(policy), categories)))
    return refuse("can't write remarks to '" + path + "'",
                  "name a file in a folder that exists");
  return success();
}

} // namespace partita
