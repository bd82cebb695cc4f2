/// What generated code writes before the name of a declaration of this project.
///
/// A module selector finds the module where a type in sight has its name as well. Compilers before
/// 6.3 have none.
#if compiler(>=6.3)
let module = "StoreActor::"
#else
let module = "StoreActor."
#endif
