/// Adds the members of a dependency to a struct of closures: initializers, and endpoints that
/// report a call before they are set.
///
/// ```swift
/// @DependencyClient
/// struct FactClient {
///   var fetch: @Sendable (_ number: Int) async throws -> String
///   var isAvailable: @Sendable () -> Bool = { false }
/// }
///
/// extension FactClient: TestDependencyKey {
///   static let testValue = FactClient()
/// }
/// ```
///
/// `FactClient()` has no endpoint implemented, which suits tests: each replaces the endpoints that
/// it expects to be called. The other initializer takes every closure. A closure with labels in its
/// type can be called as a method with them: `try await factClient.fetch(number: 3)`.
@attached(memberAttribute)
@attached(member, names: named(init))
public macro DependencyClient() =
  #externalMacro(module: "StoreActorMacros", type: "DependencyClientMacro")

/// Makes a closure of a dependency client report a call before it is set.
///
/// `@DependencyClient` applies it to every closure; write it to give the method another name. An
/// endpoint that is not set throws ``Unimplemented`` if it can; otherwise its default closure
/// supplies the result.
///
/// - Parameter method: The method's name, if it differs from the property's.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: arbitrary)
public macro DependencyEndpoint(method: String = "") =
  #externalMacro(module: "StoreActorMacros", type: "DependencyEndpointMacro")

/// Leaves a closure of a dependency client unchanged.
@attached(peer)
public macro DependencyEndpointIgnored() =
  #externalMacro(module: "StoreActorMacros", type: "DependencyEndpointIgnoredMacro")

/// Creates a property of ``DependencyValues`` together with its key.
///
/// ```swift
/// extension DependencyValues {
///   @DependencyEntry(liveValue: FactClient.live) var facts: FactClient = FactClient()
/// }
/// ```
///
/// The default is the value for tests. Without `liveValue`, a module that has a live value supplies
/// it: the key of a `public` property is public, is named after its type, `FactClientKey`, and
/// conforms to ``DependencyKey`` there. If the type is not written, a value is created once
/// per process.
///
/// Write the value as a name, such as `.live`, if its type is a `@DependencyClient`: the compiler
/// checks the arguments of one macro before other macros have added their members, so it does not
/// know the client's initializers there.
///
/// - Parameters:
///   - key: The name of the key's type.
///   - liveValue: The value for a running program.
///   - previewValue: The value for a preview.
@attached(accessor, names: named(get), named(set))
@attached(peer, names: arbitrary)
public macro DependencyEntry(
  _ key: String = "",
  liveValue: Any = (),
  previewValue: Any = (),
) = #externalMacro(module: "StoreActorMacros", type: "DependencyEntryMacro")
