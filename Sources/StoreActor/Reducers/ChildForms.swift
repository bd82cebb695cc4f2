public import StoreState

// `ifLet` and `forEach` take a child in several forms: optional or presented, in a list or on a
// stack. The compiler would try overloads for them in all combinations along a chain of operators,
// since it knows the feature's types only at the end of the chain. Seven operators took it seconds,
// and a slip among them caused an error without a place. So each operator is one function of a
// state and an action whose forms must be the same. Unavailable overloads, which could explain a
// slip, are tried as well: three of them made the compiler check five operators for a minute.
// Unavailable conformances explain it at no cost. The names of these types explain the rest, since
// the compiler prints them.

/// The part of a state that may contain one child: an optional or a ``PresentationState``.
public protocol OptionalOrPresented<_ChildState> {
  /// The child's state.
  associatedtype _ChildState

  /// The form of the slot; the child's action must have the same form.
  associatedtype _ChildForm
}

/// The part of a state whose child has an unwrapped action: an optional.
public protocol OptionalChildState<_ChildState> {
  /// The child's state.
  associatedtype _ChildState
}

/// The part of a state that contains many children: an `IdentifiedArray` or a ``StackState``.
public protocol IdentifiedArrayOrStackState<_ChildState> {
  /// The state of one child.
  associatedtype _ChildState

  /// The form of the collection; the children's action must have the same form.
  associatedtype _ElementsForm
}

/// An action of one of many children: an ``IdentifiedAction`` or a ``StackAction``.
public protocol IdentifiedOrStackAction<_ElementAction> {
  /// The action of one child.
  associatedtype _ElementAction

  /// The type of the children's ids.
  associatedtype _ElementID: Hashable & Sendable

  /// The form of the action; the children's state must have the same form.
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

/// A state that provides the feature that runs on it, so that operators need no argument: the state
/// of a `@Reducer enum`, or an alert.
public protocol _SelfReducingState {
  /// The feature's action.
  associatedtype _OwnAction

  /// The feature.
  static var _ownReducer: Reduce<Self, _OwnAction> { get }
}

extension CaseReducerState {
  /// The feature of the present case.
  public static var _ownReducer: Reduce<Self, StateReducer.Action> {
    StateReducer.body._prepared()
  }
}

extension _EphemeralState {
  /// An empty reducer: the operators set the state to nil, and it needs no other logic.
  public static var _ownReducer: Reduce<Self, Action> {
    EmptyReducer()._prepared()
  }
}
