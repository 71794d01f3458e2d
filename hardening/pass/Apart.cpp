#include "Apart.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace loadstone {

static const unsigned mostBits = 2048;   // of an integer or a vector
static const unsigned mostElements = 16; // of a structure or an array

static unsigned elementsOf(Type *type) {
    if (auto *structure = dyn_cast<StructType>(type))
        return structure->getNumElements();
    return type->isArrayTy() && type->getArrayNumElements() <= mostElements ? type->getArrayNumElements() : mostElements + 1;
}

static Type *elementOf(Type *type, unsigned index) {
    return type->isStructTy() ? type->getStructElementType(index) : type->getArrayElementType();
}

bool canBeApart(Type *type) {
    if (type->isAggregateType()) {
        if (elementsOf(type) > mostElements)
            return false;
        for (unsigned i = 0; i < elementsOf(type); i++)
            if (!canBeApart(elementOf(type, i)))
                return false;
        return true;
    }
    if (auto *vector = dyn_cast<FixedVectorType>(type)) {
        Type *element = vector->getElementType();
        unsigned bits = element->isPointerTy() ? 64 : element->getPrimitiveSizeInBits();
        return (element->isPointerTy() || element->isIntegerTy() || element->isFloatingPointTy()) &&
               bits * vector->getNumElements() <= mostBits && !element->isX86_FP80Ty();
    }
    if (type->isIntegerTy())
        return type->getIntegerBitWidth() <= mostBits;
    return type->isPointerTy() || (type->isFloatingPointTy() && !type->isPPC_FP128Ty());
}

// `text` with a comment of its own for each flow: a later pass may merge two equal assemblies with equal operands.
static CallInst *assembled(IRBuilderBase &at, Value *value, StringRef text, const Twine &constraints, unsigned flow) {
    Type *type = value->getType();
    InlineAsm *lines = InlineAsm::get(FunctionType::get(type, {type}, false),
                                      (text + "# flow " + Twine(flow + 2)).str(), constraints.str(),
                                      /*hasSideEffects=*/false);
    CallInst *copy = at.CreateCall(lines, {value});
    copy->setDoesNotThrow();
    copy->setDoesNotAccessMemory();
    copy->addFnAttr(Attribute::WillReturn);
    return copy;
}

// What the code can address from where it is, with a constant distance.
static bool isNear(const Value *address) {
    const auto *variable = dyn_cast<GlobalValue>(address->stripInBoundsConstantOffsets());
    if (!variable || !variable->isDSOLocal() || variable->isThreadLocal() || variable->hasExternalWeakLinkage())
        return false;
    std::optional<CodeModel::Model> model = variable->getParent()->getCodeModel();
    return !model || *model == CodeModel::Small;
}

// A constant or an address on the stack is made anew: a copy of the register that has it for the first flow would share
// that one's faults.
static Value *throughRegister(IRBuilderBase &at, Value *value, StringRef kind, unsigned flow) {
    if (auto *number = dyn_cast<ConstantInt>(value)) {
        bool wide = number->getBitWidth() > 32;
        StringRef text = !wide                                            ? "movl $1, ${0:k} "
                         : number->getValue().getSignificantBits() <= 32 ? "movq $1, $0 "
                                                                          : "movabsq $1, $0 ";
        return assembled(at, value, text, "=r,i", flow);
    }
    if (isa<ConstantPointerNull>(value))
        return assembled(at, value, "movl $1, ${0:k} ", "=r,i", flow);
    if (isa<Constant>(value) && value->getType()->isPointerTy() && isNear(value))
        return assembled(at, value, "leaq ${1:c}(%rip), $0 ", "=r,i", flow);
    if (auto *memory = dyn_cast<AllocaInst>(value); memory && memory->isStaticAlloca()) {
        CallInst *address = assembled(at, value, "leaq $1, $0 ", "=r,*m", flow);
        address->addParamAttr(0, Attribute::get(at.getContext(), Attribute::ElementType, at.getInt8Ty()));
        return address;
    }
    return assembled(at, value, "", "=" + kind + ",0", flow);
}

// Numbers that no instruction holds lie in memory; volatile, so that each flow reads them by itself.
static bool liesInMemory(const Value *value) {
    Type *element = value->getType()->getScalarType();
    return isa<Constant>(value) && !isa<ConstantExpr>(value) && !element->isX86_FP80Ty() &&
           (element->isFloatingPointTy() || (isa<FixedVectorType>(value->getType()) && element->isIntegerTy() &&
                                             element->getIntegerBitWidth() % 8 == 0));
}

static Value *fromMemory(IRBuilderBase &at, Constant *value) {
    Module &module = *at.GetInsertBlock()->getModule();
    auto *memory = new GlobalVariable(module, value->getType(), /*isConstant=*/true, GlobalValue::PrivateLinkage, value,
                                      ".loadstone.constant");
    memory->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    return at.CreateAlignedLoad(value->getType(), memory, module.getDataLayout().getPrefTypeAlign(value->getType()),
                                /*isVolatile=*/true);
}

static Value *integerApart(IRBuilderBase &at, Value *value, unsigned flow) {
    unsigned bits = value->getType()->getIntegerBitWidth();
    for (unsigned whole : {8u, 16u, 32u, 64u})
        if (bits == whole)
            return throughRegister(at, value, "r", flow);
    if (bits < 64) {
        Type *wider = at.getIntNTy(bits < 32 ? 32 : 64);
        return at.CreateTrunc(throughRegister(at, at.CreateZExt(value, wider), "r", flow), value->getType());
    }
    unsigned pieces = (bits + 63) / 64;
    Type *whole = at.getIntNTy(64 * pieces);
    Value *wide = at.CreateZExt(value, whole), *result = ConstantInt::get(whole, 0);
    for (unsigned i = 0; i < pieces; i++) {
        Value *piece = at.CreateTrunc(at.CreateLShr(wide, 64 * i), at.getInt64Ty());
        Value *copy = at.CreateZExt(throughRegister(at, piece, "r", flow), whole);
        result = at.CreateOr(result, at.CreateShl(copy, 64 * i));
    }
    return at.CreateTrunc(result, value->getType());
}

static unsigned widestVector(IRBuilderBase &at) {
    StringRef features = at.GetInsertBlock()->getParent()->getFnAttribute("target-features").getValueAsString();
    return features.contains("+avx512f") ? 512 : features.contains("+avx") ? 256 : 128;
}

static Value *vectorApart(IRBuilderBase &at, Value *value, unsigned flow) {
    auto *type = cast<FixedVectorType>(value->getType());
    const DataLayout &layout = at.GetInsertBlock()->getModule()->getDataLayout();
    unsigned bits = layout.getTypeSizeInBits(type).getFixedValue();
    if (type->getElementType()->isPointerTy()) {
        Type *numbers = FixedVectorType::get(at.getInt64Ty(), type->getNumElements());
        return at.CreateIntToPtr(vectorApart(at, at.CreatePtrToInt(value, numbers), flow), type);
    }
    if (bits % 128)
        return at.CreateBitCast(integerApart(at, at.CreateBitCast(value, at.getIntNTy(bits)), flow), type);
    unsigned widest = widestVector(at);
    if ((bits == 128 || bits == 256 || bits == 512) && bits <= widest)
        return throughRegister(at, value, "x", flow);
    // In pieces of one register each.
    Value *numbers = at.CreateBitCast(value, FixedVectorType::get(at.getInt64Ty(), bits / 64));
    Value *result = Constant::getNullValue(numbers->getType());
    for (int low = 0; low < int(bits / 64); low += 2) {
        Value *piece = throughRegister(at, at.CreateShuffleVector(numbers, {low, low + 1}), "x", flow);
        for (unsigned i = 0; i < 2; i++)
            result = at.CreateInsertElement(result, at.CreateExtractElement(piece, i), low + i);
    }
    return at.CreateBitCast(result, type);
}

Value *apart(IRBuilderBase &at, Value *value, unsigned flow) {
    Type *type = value->getType();
    if (type->isAggregateType()) {
        Value *result = Constant::getNullValue(type);
        for (unsigned i = 0; i < elementsOf(type); i++)
            result = at.CreateInsertValue(result, apart(at, at.CreateExtractValue(value, i), flow), i);
        return result;
    }
    if (liesInMemory(value))
        return fromMemory(at, cast<Constant>(value));
    if (type->isVectorTy())
        return vectorApart(at, value, flow);
    if (type->isIntegerTy())
        return integerApart(at, value, flow);
    if (type->isHalfTy() || type->isBFloatTy())
        return at.CreateBitCast(integerApart(at, at.CreateBitCast(value, at.getInt16Ty()), flow), type);
    if (type->isX86_FP80Ty())
        return throughRegister(at, value, "{st}", flow);
    return throughRegister(at, value, type->isFloatingPointTy() ? "x" : "r", flow);
}

Value *kept(IRBuilderBase &at, Value *value) {
    Type *type = value->getType();
    bool whole = type->isPointerTy() || type->isFloatTy() || type->isDoubleTy();
    if (type->isIntegerTy())
        whole = is_contained({8u, 16u, 32u, 64u}, type->getIntegerBitWidth());
    if (auto *vector = dyn_cast<FixedVectorType>(type); vector && !vector->getElementType()->isPointerTy()) {
        unsigned bits = type->getPrimitiveSizeInBits();
        whole = is_contained({128u, 256u, 512u}, bits) && bits <= widestVector(at);
    }
    if (!whole)
        return value;
    Value *copy = assembled(at, value, "", type->isFPOrFPVectorTy() || type->isVectorTy() ? "=x,0" : "=r,0", -1u);
    copy->setName(value->getName() + ".kept");
    return copy;
}

// `compare` for each part that is no aggregate; whether any of them holds.
static Value *anyElement(IRBuilderBase &at, Value *one, Value *other,
                         function_ref<Value *(Value *, Value *)> compare) {
    Type *type = one->getType();
    if (!type->isAggregateType())
        return compare(one, other);
    Value *any = at.getFalse();
    for (unsigned i = 0; i < elementsOf(type); i++) {
        Value *element = anyElement(at, at.CreateExtractValue(one, i), at.CreateExtractValue(other, i), compare);
        any = i ? at.CreateOr(any, element) : element;
    }
    return any;
}

static Value *bitsOf(IRBuilderBase &at, Value *value) {
    Type *type = value->getType();
    if (type->isIntegerTy() || type->isPointerTy())
        return value;
    if (auto *vector = dyn_cast<FixedVectorType>(type); vector && vector->getElementType()->isPointerTy())
        value = at.CreatePtrToInt(value, FixedVectorType::get(at.getInt64Ty(), vector->getNumElements()));
    unsigned bits = value->getType()->getPrimitiveSizeInBits().getFixedValue();
    return at.CreateBitCast(value, at.getIntNTy(bits));
}

Value *differs(IRBuilderBase &at, Value *one, Value *other) {
    return anyElement(at, one, other, [&](Value *a, Value *b) -> Value * {
        return at.CreateICmpNE(bitsOf(at, a), bitsOf(at, b));
    });
}

bool hasFloats(Type *type) {
    if (type->isAggregateType()) {
        for (unsigned i = 0; i < elementsOf(type); i++)
            if (hasFloats(elementOf(type, i)))
                return true;
        return false;
    }
    return type->isFPOrFPVectorTy();
}

Value *differsButForNaN(IRBuilderBase &at, Value *one, Value *other) {
    return anyElement(at, one, other, [&](Value *a, Value *b) -> Value * {
        if (!a->getType()->isFPOrFPVectorTy())
            return differs(at, a, b);
        Value *bothNaN = at.CreateAnd(at.CreateFCmpUNO(a, a), at.CreateFCmpUNO(b, b));
        if (!a->getType()->isVectorTy())
            return at.CreateAnd(differs(at, a, b), at.CreateNot(bothNaN));
        auto *type = cast<FixedVectorType>(a->getType());
        Type *numbers = FixedVectorType::get(at.getIntNTy(type->getScalarSizeInBits()), type->getNumElements());
        Value *lanes = at.CreateICmpNE(at.CreateBitCast(a, numbers), at.CreateBitCast(b, numbers));
        return at.CreateOrReduce(at.CreateAnd(lanes, at.CreateNot(bothNaN)));
    });
}

} // namespace loadstone
