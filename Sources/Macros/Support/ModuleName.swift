/// The prefix for the name of a declaration of this project in generated code.
///
/// A module selector finds the module even if a visible type has the same name. Compilers before
/// 6.3 have no module selectors.
#if compiler(>=6.3)
let module = "StoreActor::"
#else
let module = "StoreActor."
#endif
