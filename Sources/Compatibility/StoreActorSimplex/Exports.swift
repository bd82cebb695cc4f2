// What a file that was written for Simplex gets from `import StoreActorSimplex` alone: StoreActor
// too, whose macros' code names it. Where both have a name (`@Reducer`, `Store`, `Send`,
// `TestStore`), this module's own comes before that of a module that it hands on.
@_exported public import CasePathOperator
@_exported public import StoreActor
@_exported public import TerminalViews
