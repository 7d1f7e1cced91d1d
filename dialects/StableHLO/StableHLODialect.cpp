// The StableHLO dialect: registration, and the constants it materialises.
#include "dialects/StableHLO/StableHLO.h"

#include "dialects/StableHLO/AssemblyFormat.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace partita::stablehlo;

#include "dialects/StableHLO/StableHLODialect.cpp.inc"
#include "dialects/StableHLO/StableHLOEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/StableHLO/StableHLOAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/StableHLO/StableHLOTypes.cpp.inc"

void StableHLODialect::initialize() {
  registerStableHLODialectOperations(this);
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/StableHLO/StableHLOAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/StableHLO/StableHLOTypes.cpp.inc"
      >();
}

Operation *StableHLODialect::materializeConstant(OpBuilder &builder,
                                                 Attribute value, Type type,
                                                 Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type || !isTensorOf(type, ~0u))
    return nullptr;
  return ConstantOp::create(builder, loc, elements);
}

/// `#stablehlo.bounds<4, ?>` is the short form of the type extensions.
static Attribute parseBounds(DialectAsmParser &parser) {
  SmallVector<int64_t> bounds;
  auto parseOne = [&] { return parseDimSize(parser, bounds.emplace_back()); };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseOne))
    return nullptr;
  return TypeExtensionsAttr::get(parser.getContext(), bounds);
}

Attribute StableHLODialect::parseAttribute(DialectAsmParser &parser,
                                           Type type) const {
  StringRef mnemonic;
  Attribute attr;
  SMLoc loc = parser.getCurrentLocation();
  if (generatedAttributeParser(parser, &mnemonic, type, attr).has_value())
    return attr;
  if (mnemonic == "bounds")
    return parseBounds(parser);
  parser.emitError(loc) << "unknown stablehlo attribute '" << mnemonic << "'";
  return nullptr;
}

void StableHLODialect::printAttribute(Attribute attr,
                                      DialectAsmPrinter &printer) const {
  if (auto extensions = dyn_cast<TypeExtensionsAttr>(attr)) {
    printer << "bounds<";
    llvm::interleaveComma(extensions.getBounds(), printer, [&](int64_t bound) {
      if (ShapedType::isDynamic(bound))
        printer << '?';
      else
        printer << bound;
    });
    printer << '>';
    return;
  }
  (void)generatedAttributePrinter(attr, printer);
}
