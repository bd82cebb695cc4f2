// What a feature's file gets from `import StoreActor` alone.
@_exported public import CustomDump
@_exported public import Foundation
@_exported public import IssueReporting
@_exported public import Observation
@_exported public import StoreCasePaths
@_exported public import StoreClocks
@_exported public import StoreConcurrency
@_exported public import StoreDependencies
@_exported public import StoreState
