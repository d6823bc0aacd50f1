// llvm/twin_clone.cc: copies of functions and the doors before them (twin.h). LLVM's C interface neither copies a
// function nor gives one all properties of another, so these two functions are C++.
#include <llvm-c/Core.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>

using namespace llvm;

extern "C" {
bool au_twin_possible(LLVMValueRef function);
LLVMValueRef au_twin_clone(LLVMValueRef function, const char *name);
LLVMValueRef au_twin_door(LLVMValueRef recorded, LLVMValueRef plain, LLVMValueRef on);
}

// LLVM 19 loses structures passed by value in memory when a call takes over its caller's place on the stack.
static bool has_byval(const Function *f) {
    for (const Argument &a : f->args())
        if (a.hasPassPointeeByValueCopyAttr())
            return true;
    return false;
}

// Only a call that takes over its caller's place can hand on "...".
bool au_twin_possible(LLVMValueRef function) {
    const Function *f = unwrap<Function>(function);
    return !f->isVarArg() || !has_byval(f);
}

// The copy, behind the function. Debug information is copied with it: its lines are found as those of the original.
LLVMValueRef au_twin_clone(LLVMValueRef function, const char *name) {
    Function *f = unwrap<Function>(function);
    ValueToValueMapTy map;
    Function *copy = CloneFunction(f, map);
    copy->setName(name);
    copy->setComdat(nullptr);
    return wrap(copy);
}

static void jump(IRBuilder<> &b, Function *door, Function *to, bool inlined) {
    SmallVector<Value *, 8> args;
    for (Argument &a : door->args())
        args.push_back(&a);
    CallInst *call = b.CreateCall(to->getFunctionType(), to, args);
    const AttributeList all = to->getAttributes();
    SmallVector<AttributeSet, 8> params;
    for (unsigned k = 0; k < to->arg_size(); k++)
        params.push_back(all.getParamAttrs(k));
    AttributeSet own;
    if (!inlined)
        own = own.addAttribute(to->getContext(), Attribute::NoInline);
    call->setAttributes(AttributeList::get(to->getContext(), own, all.getRetAttrs(), params));
    call->setCallingConv(to->getCallingConv());
    if (!has_byval(to))
        call->setTailCallKind(CallInst::TCK_MustTail);
    if (call->getType()->isVoidTy())
        b.CreateRetVoid();
    else
        b.CreateRet(call);
}

// A function of the same type and properties, without a name: if *on it is the one, else the other.
LLVMValueRef au_twin_door(LLVMValueRef recorded, LLVMValueRef plain, LLVMValueRef on) {
    Function *r = unwrap<Function>(recorded), *p = unwrap<Function>(plain);
    LLVMContext &c = r->getContext();
    Function *door = Function::Create(r->getFunctionType(), r->getLinkage(), r->getAddressSpace(), "");
    r->getParent()->getFunctionList().insert(r->getIterator(), door);
    door->setIsNewDbgInfoFormat(r->IsNewDbgInfoFormat);
    door->copyAttributesFrom(r);
    door->setComdat(r->getComdat());
    door->setPersonalityFn(nullptr);
    r->setPrefixData(nullptr); // the mark of rt/code.c stands where pointers lead
    p->setPrefixData(nullptr);
    door->removeFnAttr(Attribute::AlwaysInline);
    BasicBlock *entry = BasicBlock::Create(c, "", door), *yes = BasicBlock::Create(c, "", door),
               *no = BasicBlock::Create(c, "", door);
    IRBuilder<> b(entry);
    Value *set = b.CreateLoad(b.getInt32Ty(), unwrap(on));
    b.CreateCondBr(b.CreateICmpNE(set, b.getInt32(0)), yes, no, MDBuilder(c).createBranchWeights(1, 1000));
    b.SetInsertPoint(yes);
    jump(b, door, r, false);
    b.SetInsertPoint(no);
    jump(b, door, p, true);
    return wrap(door);
}
