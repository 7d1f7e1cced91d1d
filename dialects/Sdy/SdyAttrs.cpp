// Text form and simple queries of the mesh and axis attributes. Parsers accept
// any well-formed text and leave checks that need the mesh or the type to the
// verifiers of SdyVerifier.cpp.
#include "dialects/Sdy/Sdy.h"

#include "dialects/Sdy/SdyText.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace partita::sdy;

#include "dialects/Sdy/SdyEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Sdy/SdyAttrs.cpp.inc"

void SdyDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Sdy/SdyAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Mesh
//===----------------------------------------------------------------------===//

Attribute MeshAxisAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  std::string name;
  int64_t size = 0;
  if (parser.parseString(&name) || parser.parseEqual() ||
      parser.parseInteger(size))
    return {};
  return parser.getChecked<MeshAxisAttr>(loc, parser.getContext(), name, size);
}

void MeshAxisAttr::print(AsmPrinter &printer) const {
  printer.printString(getName());
  printer << "=" << getSize();
}

LogicalResult MeshAxisAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   StringRef name, int64_t size) {
  if (size < 1)
    return emitError() << "size of mesh axis \"" << name
                       << "\" must be at least 1, got " << size;
  return success();
}

Attribute MeshAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<MeshAxisAttr> axes;
  SmallVector<int64_t> deviceIds;
  auto parseAxis = [&]() -> ParseResult {
    auto axis =
        llvm::cast_or_null<MeshAxisAttr>(MeshAxisAttr::parse(parser, {}));
    if (!axis)
      return failure();
    axes.push_back(axis);
    return success();
  };
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseAxis))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    auto parseId = [&] {
      return parser.parseInteger(deviceIds.emplace_back());
    };
    if (parser.parseKeyword("device_ids") || parser.parseEqual() ||
        parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseId))
      return {};
  }
  if (parser.parseGreater())
    return {};
  // An identity order says nothing: keep one spelling of each mesh. The checks
  // come first, so that a list of the wrong length is not dropped.
  auto mesh =
      parser.getChecked<MeshAttr>(loc, parser.getContext(), axes, deviceIds);
  if (mesh && !axes.empty() && llvm::is_sorted(deviceIds))
    mesh = MeshAttr::get(parser.getContext(), axes, ArrayRef<int64_t>());
  return mesh;
}

void MeshAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(getAxes(), printer,
                        [&](MeshAxisAttr axis) { axis.print(printer); });
  printer << "]";
  if (!getDeviceIds().empty()) {
    printer << ", device_ids=[";
    llvm::interleaveComma(getDeviceIds(), printer);
    printer << "]";
  }
  printer << ">";
}

/// Checks that `deviceIds` is a permutation of 0 to `numDevices` - 1.
static LogicalResult
verifyDeviceIds(function_ref<InFlightDiagnostic()> emitError,
                ArrayRef<int64_t> deviceIds, int64_t numDevices) {
  if (static_cast<int64_t>(deviceIds.size()) != numDevices)
    return emitError() << "device_ids lists " << deviceIds.size()
                       << " devices, but the axes have " << numDevices;
  std::vector<bool> seen(deviceIds.size());
  for (int64_t id : deviceIds) {
    if (id < 0 || id >= numDevices)
      return emitError() << "device id " << id << " is not in [0, "
                         << numDevices << ")";
    if (seen[id])
      return emitError() << "device id " << id << " occurs twice";
    seen[id] = true;
  }
  return success();
}

LogicalResult MeshAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<MeshAxisAttr> axes,
                               ArrayRef<int64_t> deviceIds) {
  if (axes.empty()) {
    if (deviceIds.size() > 1)
      return emitError() << "a mesh without axes may name one device, got "
                         << deviceIds.size();
    if (deviceIds.size() == 1 && deviceIds[0] < 0)
      return emitError() << "device id " << deviceIds[0] << " is negative";
    return success();
  }
  int64_t numDevices = 1;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    for (MeshAxisAttr other : axes.take_front(i))
      if (other.getName() == axis.getName())
        return emitError() << "mesh has two axes called \"" << axis.getName()
                           << "\"";
    if (llvm::MulOverflow(numDevices, axis.getSize(), numDevices))
      return emitError() << "the number of devices does not fit 64 bits";
  }
  if (deviceIds.empty())
    return success();
  return verifyDeviceIds(emitError, deviceIds, numDevices);
}

int64_t MeshAttr::getNumDevices() const {
  int64_t numDevices = 1;
  for (MeshAxisAttr axis : getAxes())
    numDevices *= axis.getSize();
  return numDevices;
}

int64_t MeshAttr::getAxisIndex(StringRef name) const {
  for (auto [i, axis] : llvm::enumerate(getAxes()))
    if (axis.getName() == name)
      return i;
  return -1;
}

int64_t MeshAttr::getAxisSize(StringRef name) const {
  int64_t index = getAxisIndex(name);
  return index < 0 ? -1 : getAxes()[index].getSize();
}

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

Attribute AxisRefAttr::parse(AsmParser &parser, Type) {
  std::string name;
  int64_t preSize = 0, subSize = 0;
  if (parser.parseString(&name))
    return {};
  if (succeeded(parser.parseOptionalColon())) {
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseLParen() || parser.parseInteger(preSize) ||
        parser.parseRParen() || parser.parseInteger(subSize))
      return {};
    if (preSize < 1 || subSize < 2) {
      parser.emitError(loc)
          << "sub-axis \"" << name << "\":(" << preSize << ")" << subSize
          << " needs a pre-size of at least 1 and a size of "
             "at least 2";
      return {};
    }
  }
  return AxisRefAttr::get(parser.getContext(), name, preSize, subSize);
}

void AxisRefAttr::print(AsmPrinter &printer) const {
  printer.printString(getName());
  if (isSubAxis())
    printer << ":(" << getPreSize() << ")" << getSubSize();
}

int64_t AxisRefAttr::getSize(MeshAttr mesh) const {
  int64_t whole = mesh.getAxisSize(getName());
  return whole < 0 || !isSubAxis() ? whole : getSubSize();
}

bool AxisRefAttr::overlaps(AxisRefAttr other) const {
  if (getName() != other.getName())
    return false;
  if (!isSubAxis() || !other.isSubAxis())
    return true;
  return getPreSize() < other.getPreSize() * other.getSubSize() &&
         other.getPreSize() < getPreSize() * getSubSize();
}

std::string AxisRefAttr::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '"' << getName() << '"';
  if (isSubAxis())
    os << ":(" << getPreSize() << ")" << getSubSize();
  return text;
}

ParseResult partita::sdy::parseAxisList(AsmParser &parser,
                                        SmallVectorImpl<AxisRefAttr> &axes) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Braces, [&]() -> ParseResult {
        auto axis =
            llvm::cast_or_null<AxisRefAttr>(AxisRefAttr::parse(parser, {}));
        if (!axis)
          return failure();
        axes.push_back(axis);
        return success();
      });
}

void partita::sdy::printAxisList(AsmPrinter &printer,
                                 ArrayRef<AxisRefAttr> axes) {
  printer << "{";
  llvm::interleaveComma(axes, printer,
                        [&](AxisRefAttr axis) { axis.print(printer); });
  printer << "}";
}

Attribute AxisListAttr::parse(AsmParser &parser, Type) {
  SmallVector<AxisRefAttr> axes;
  if (parseAxisList(parser, axes))
    return {};
  return AxisListAttr::get(parser.getContext(), axes);
}

void AxisListAttr::print(AsmPrinter &printer) const {
  printAxisList(printer, getAxes());
}

Attribute AxisListPerDimAttr::parse(AsmParser &parser, Type) {
  SmallVector<AxisListAttr> dims;
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square, [&]() -> ParseResult {
            auto list = AxisListAttr::parse(parser, {});
            if (!list)
              return failure();
            dims.push_back(llvm::cast<AxisListAttr>(list));
            return success();
          }))
    return {};
  return AxisListPerDimAttr::get(parser.getContext(), dims);
}

void AxisListPerDimAttr::print(AsmPrinter &printer) const {
  printer << "[";
  llvm::interleaveComma(getDims(), printer,
                        [&](AxisListAttr list) { list.print(printer); });
  printer << "]";
}

Attribute ManualAxesAttr::parse(AsmParser &parser, Type) {
  SmallVector<StringAttr> axes;
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Braces, [&]() -> ParseResult {
            std::string name;
            if (parser.parseString(&name))
              return failure();
            axes.push_back(StringAttr::get(parser.getContext(), name));
            return success();
          }))
    return {};
  return ManualAxesAttr::get(parser.getContext(), axes);
}

void ManualAxesAttr::print(AsmPrinter &printer) const {
  printer << "{";
  llvm::interleaveComma(getAxes(), printer, [&](StringAttr axis) {
    printer.printString(axis.getValue());
  });
  printer << "}";
}

bool ManualAxesAttr::contains(StringRef name) const {
  return llvm::any_of(getAxes(),
                      [&](StringAttr axis) { return axis.getValue() == name; });
}

Attribute AllToAllParamAttr::parse(AsmParser &parser, Type) {
  SmallVector<AxisRefAttr> axes;
  int64_t source = 0, target = 0;
  if (parseAxisList(parser, axes) || parser.parseColon() ||
      parser.parseInteger(source) || parser.parseArrow() ||
      parser.parseInteger(target))
    return {};
  return AllToAllParamAttr::get(parser.getContext(), axes, source, target);
}

void AllToAllParamAttr::print(AsmPrinter &printer) const {
  printAxisList(printer, getAxes());
  printer << ": " << getSource() << "->" << getTarget();
}

Attribute AllToAllParamListAttr::parse(AsmParser &parser, Type) {
  SmallVector<AllToAllParamAttr> params;
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square, [&]() -> ParseResult {
            auto param = AllToAllParamAttr::parse(parser, {});
            if (!param)
              return failure();
            params.push_back(llvm::cast<AllToAllParamAttr>(param));
            return success();
          }))
    return {};
  return AllToAllParamListAttr::get(parser.getContext(), params);
}

void AllToAllParamListAttr::print(AsmPrinter &printer) const {
  printer << "[";
  llvm::interleaveComma(getParams(), printer,
                        [&](AllToAllParamAttr param) { param.print(printer); });
  printer << "]";
}
