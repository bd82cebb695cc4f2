/// Makes a struct a feature, or an enum a feature that is one of several others at a time.
///
/// ```swift
/// @Reducer
/// struct Counter {
///   @ObservableState
///   struct State: Equatable { var count = 0 }
///   enum Action { case incrementButtonTapped }
///
///   var body: some ReducerOf<Self> {
///     Reduce { state, action in … }
///   }
/// }
/// ```
///
/// On a struct it declares the conformance to ``Reducer``, gives `Action` and an enum `State` case
/// paths, and fills in a missing `State`, `Action` or `body`.
///
/// If a feature has an `enum ViewAction` (the actions of a view or a client) and perhaps an `enum
/// ReducerAction` (the feature's own actions) instead of an `Action`, it generates the `Action`
/// with the cases of both:
///
/// ```swift
/// @Reducer
/// struct Login {
///   enum ViewAction: WireAction { case loginButtonTapped(name: String) }
///   enum ReducerAction { case loginResponse(Result<User, LoginError>) }
///   …
/// }
/// ```
///
/// On an enum it generates state, actions and body of the features that are the cases' values:
///
/// ```swift
/// @Reducer
/// enum Path {
///   case detail(Detail)
///   case meeting(Meeting = Meeting(isDraft: true))
///   @ReducerCaseIgnored case note(String)
///   @ReducerCaseEphemeral case alert(AlertState<Alert>)
/// }
/// extension Path.State: Equatable {}
/// ```
///
/// `@Reducer(state: .equatable, action: .sendable)` has the same effect as such extensions. It is
/// the only way to name `.replicatedState` and `.wireAction`, whose members are generated with
/// the types.
///
/// - Parameters:
///   - state: The conformances of an enum's state.
///   - action: The conformances of an enum's action.
// One declaration for all spellings, with parameters: a `Reducer()` without any, of another module
// that is imported beside this one, is the better match for a bare `@Reducer`.
//
// The formatter would add a comma after the last name, which the compiler rejects here.
// swift-format-ignore
@attached(extension, conformances: Reducer, CaseReducer)
@attached(memberAttribute)
@attached(
  member,
  names: named(State), named(Action), named(Body), named(body), named(CaseScope), named(scope)
)
public macro Reducer(
  state: _SynthesizedConformance...,
  action: _SynthesizedConformance...,
) = #externalMacro(module: "StoreActorMacros", type: "ReducerMacro")

/// Marks a case of a `@Reducer` enum whose value is not a feature but a state that ends with any
/// action from it, such as an alert.
@attached(peer)
public macro ReducerCaseEphemeral() =
  #externalMacro(module: "StoreActorMacros", type: "ReducerCaseMarkerMacro")

/// Marks a case of a `@Reducer` enum whose values are plain data without logic of their own.
@attached(peer)
public macro ReducerCaseIgnored() =
  #externalMacro(module: "StoreActorMacros", type: "ReducerCaseMarkerMacro")

/// A conformance of the types that `@Reducer` writes for an enum.
public struct _SynthesizedConformance: Sendable {
  /// `Codable`.
  public static let codable = Self()
  /// `Decodable`.
  public static let decodable = Self()
  /// `Encodable`.
  public static let encodable = Self()
  /// `DurableAction`, for an action that other processes may send, and a daemon stores.
  public static let durableAction = Self()
  /// `Equatable`.
  public static let equatable = Self()
  /// `Hashable`.
  public static let hashable = Self()
  /// `Sendable`.
  public static let sendable = Self()
  /// `ReplicatedState`, for a state that other processes hold copies of.
  public static let replicatedState = Self()
  /// `WireAction`, for an action that other processes may send.
  public static let wireAction = Self()
}
