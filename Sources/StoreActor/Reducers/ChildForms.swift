public import StoreState

// `ifLet` and `forEach` take a child in several forms: optional or presented, in a list or on a
// stack. Overloads for them would be tried in all combinations along a chain of operators, since
// the compiler knows the feature's types only at the end of the chain: seven operators took it
// seconds, and a slip among them an error that named no place. So each operator is one function of
// a state and an action whose forms must be the same. Unavailable overloads, which would say what
// to do about a slip, are tried as well as soon as there is one: three made the compiler look at
// five operators for a minute. Conformances that are unavailable say it and cost nothing. What
// they cannot tell is told by the names of these types, since the compiler says them.

/// The part of a state that one child may be in: an optional or a ``PresentationState``.
public protocol OptionalOrPresented<_ChildState> {
  /// The child's state.
  associatedtype _ChildState

  /// The form of the slot, which the child's action has to have too.
  associatedtype _ChildForm
}

/// The part of a state that a child is in whose action stands for itself: an optional.
public protocol OptionalChildState<_ChildState> {
  /// The child's state.
  associatedtype _ChildState
}

/// The part of a state that many children are in: an `IdentifiedArray` or a ``StackState``.
public protocol IdentifiedArrayOrStackState<_ChildState> {
  /// The state of one child.
  associatedtype _ChildState

  /// The form of the collection, which the children's action has to have too.
  associatedtype _ElementsForm
}

/// An action that is one of many children's: an ``IdentifiedAction`` or a ``StackAction``.
public protocol IdentifiedOrStackAction<_ElementAction> {
  /// The action of one child.
  associatedtype _ElementAction

  /// The type of the children's ids.
  associatedtype _ElementID: Hashable & Sendable

  /// The form of the action, which the children's state has to have too.
  associatedtype _ElementsForm
}

/// The form of a child that is presented: `\.$child`, and a case with a ``PresentationAction``.
public enum DollarWithPresentationAction {}

/// The form of children in a list: an `IdentifiedArray`, and a case with an ``IdentifiedAction``.
public enum IdentifiedArrayWithIdentifiedAction<ID> {}

/// The form of children on a stack: a ``StackState``, and a case with a ``StackAction``.
public enum StackStateWithStackAction<State> {}

extension Optional: OptionalOrPresented {
  /// The child's state.
  public typealias _ChildState = Wrapped

  /// The form of the slot.
  public typealias _ChildForm = OptionalWithChildAction
}

extension Optional: OptionalChildState {}

extension PresentationState: OptionalOrPresented {
  /// The child's state.
  public typealias _ChildState = State

  /// The form of the slot.
  public typealias _ChildForm = DollarWithPresentationAction
}

@available(
  *,
  unavailable,
  message: """
    a child that is presented, '@Presents', acts through a 'PresentationAction': declare the \
    case as 'case child(PresentationAction<Child.Action>)'
    """
)
extension PresentationState: OptionalChildState {}

extension PresentationAction {
  /// The action of the child.
  public typealias _ChildAction = Action

  /// The form of the action.
  public typealias _ChildForm = DollarWithPresentationAction
}

extension IdentifiedArray: IdentifiedArrayOrStackState {
  /// The state of one child.
  public typealias _ChildState = Element

  /// The form of the collection.
  public typealias _ElementsForm = IdentifiedArrayWithIdentifiedAction<ID>
}

@available(
  *,
  unavailable,
  message: """
    'forEach' needs rows that are told apart by their ids, wherever they move: declare the \
    property as 'IdentifiedArrayOf<Row.State>'
    """
)
extension Array: IdentifiedArrayOrStackState where Element: Identifiable {
  /// The state of one child.
  public typealias _ChildState = Element

  /// The form of the collection.
  public typealias _ElementsForm = IdentifiedArrayWithIdentifiedAction<Element.ID>
}

extension IdentifiedAction: IdentifiedOrStackAction {
  /// The action of one child.
  public typealias _ElementAction = Action

  /// The type of the children's ids.
  public typealias _ElementID = ID

  /// The form of the action.
  public typealias _ElementsForm = IdentifiedArrayWithIdentifiedAction<ID>
}

extension StackState: IdentifiedArrayOrStackState {
  /// The state of one child.
  public typealias _ChildState = Element

  /// The form of the collection.
  public typealias _ElementsForm = StackStateWithStackAction<Element>
}

extension StackAction: IdentifiedOrStackAction {
  /// The action of one child.
  public typealias _ElementAction = Action

  /// The type of the children's ids.
  public typealias _ElementID = StackElementID

  /// The form of the action.
  public typealias _ElementsForm = StackStateWithStackAction<State>
}

/// A state that knows the feature that runs on it, so that operators need not be told: that of a
/// `@Reducer enum`, and alerts.
public protocol _SelfReducingState {
  /// The feature's action.
  associatedtype _OwnAction

  /// The feature.
  static var _ownReducer: Reduce<Self, _OwnAction> { get }
}

extension CaseReducerState {
  /// The feature whose turn it is.
  public static var _ownReducer: Reduce<Self, StateReducer.Action> {
    StateReducer.body._prepared()
  }
}

extension _EphemeralState {
  /// Nothing has to be done but to make it nil, which the operators do.
  public static var _ownReducer: Reduce<Self, Action> {
    EmptyReducer()._prepared()
  }
}
