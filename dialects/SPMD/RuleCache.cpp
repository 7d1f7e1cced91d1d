// Forms of ops, and their rules.
#include "dialects/SPMD/RuleCache.h"

using namespace mlir;

namespace partita::spmd {

/// Shardings aside, all that the op says is in its properties.
static bool hasForm(Operation *op) {
  if (op->getNumRegions() != 0)
    return false;
  for (NamedAttribute attribute : op->getRawDictionaryAttrs())
    if (attribute.getName() != SPMDDialect::getShardingsAttrName())
      return false;
  return true;
}

static size_t hashForm(Operation *op) {
  llvm::hash_code hash = llvm::hash_combine(op->getName(), op->hashProperties(),
                                            op->getNumOperands());
  for (Value operand : op->getOperands())
    hash = llvm::hash_combine(hash, operand.getType());
  for (Value result : op->getResults())
    hash = llvm::hash_combine(hash, result.getType());
  // The two largest numbers can't be keys.
  return size_t(hash) >> 1;
}

bool RuleCache::Form::matches(Operation *op) const {
  if (name != op->getName() || numOperands != op->getNumOperands() ||
      types.size() != numOperands + op->getNumResults())
    return false;
  for (auto [type, operand] :
       llvm::zip_first(op->getOperandTypes(), ArrayRef(types)))
    if (type != operand)
      return false;
  for (auto [type, result] : llvm::zip_equal(
           op->getResultTypes(), ArrayRef(types).drop_front(numOperands)))
    if (type != result)
      return false;
  return !properties ||
         name.compareOpProperties(properties, op->getPropertiesStorage());
}

const ShardingRule *RuleCache::add(ShardableOpInterface op, int &last) {
  FailureOr<ShardingRule> rule = op.getShardingRule();
  if (failed(rule))
    return nullptr;
  SmallVector<Type, 4> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  OperationName name = op->getName();
  void *properties = nullptr;
  if (size_t size = name.getOpPropertyByteSize()) {
    properties = ::operator new(size);
    name.initOpProperties(properties, op->getPropertiesStorage());
  }
  forms.push_back({name, op->getNumOperands(), std::move(types), properties,
                   std::move(*rule)});
  previous.push_back(last);
  last = int(forms.size()) - 1;
  return &forms.back().rule;
}

const ShardingRule *RuleCache::get(ShardableOpInterface op) {
  if (!hasForm(op)) {
    FailureOr<ShardingRule> rule = op.getShardingRule();
    if (failed(rule))
      return nullptr;
    return &others.emplace_back(std::move(*rule));
  }
  int &last = lastOfHash.try_emplace(hashForm(op), -1).first->second;
  for (int form = last; form >= 0; form = previous[form])
    if (forms[form].matches(op))
      return &forms[form].rule;
  return add(op, last);
}

RuleCache::~RuleCache() {
  for (Form &form : forms)
    if (form.properties) {
      form.name.destroyOpProperties(form.properties);
      ::operator delete(form.properties);
    }
}

} // namespace partita::spmd
