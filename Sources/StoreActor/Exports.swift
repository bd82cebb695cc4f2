// The modules that `import StoreActor` alone provides to a feature's file.
@_exported public import CustomDump
@_exported public import Foundation
@_exported public import IssueReporting
@_exported public import Observation
@_exported public import StoreCasePaths
@_exported public import StoreClocks
@_exported public import StoreConcurrency
@_exported public import StoreDependencies
@_exported public import StoreState
