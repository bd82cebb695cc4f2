// A file written for 0.3x gets these names from `import StoreActorClassic` alone. StoreActor and
// StoreState contribute only these: `Store`, `Effect`, `Reducer` and `TestStore` are declared by
// this module.
@_exported public import CasePathOperator
@_exported public import CustomDump
@_exported public import Foundation
@_exported public import IssueReporting
@_exported public import StoreActorSchedulers

@_exported public import class StoreActor.ActorIsolated
@_exported public import struct StoreActor.AlertState
@_exported public import struct StoreActor.AnyCasePath
@_exported public import struct StoreActor.ButtonState
@_exported public import struct StoreActor.ButtonStateAction
@_exported public import enum StoreActor.ButtonStateRole
@_exported public import struct StoreActor.ConfirmationDialogState
@_exported public import class StoreActor.LockIsolated
@_exported public import enum StoreActor.TaskResult
@_exported public import struct StoreActor.TextState
@_exported public import struct StoreActor.UncheckedSendable
@_exported public import struct StoreState.Identified
@_exported public import struct StoreState.IdentifiedArray
@_exported public import typealias StoreState.IdentifiedArrayOf

/// The earlier name of a confirmation dialog.
public typealias ActionSheetState = ConfirmationDialogState
