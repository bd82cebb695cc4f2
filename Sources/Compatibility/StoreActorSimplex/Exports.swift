// A file written for Simplex gets these modules from `import StoreActorSimplex` alone, and
// StoreActor too, since the macros' code names it. If both declare a name (`@Reducer`, `Store`,
// `Send`, `TestStore`), this module's declaration has precedence over the re-exported one.
@_exported public import CasePathOperator
@_exported public import StoreActor
@_exported public import TerminalViews
