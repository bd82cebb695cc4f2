/// Gives a struct of closures what a dependency needs: endpoints that report when they are called
/// before anyone has given them, and initializers.
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
/// `FactClient()` has no endpoint implemented, which suits tests: each replaces what it expects to
/// be called. The other initializer takes every closure. A closure with labels in its type can be
/// called as a method with them: `try await factClient.fetch(number: 3)`.
@attached(memberAttribute)
@attached(member, names: named(init))
public macro DependencyClient() =
  #externalMacro(module: "StoreActorMacros", type: "DependencyClientMacro")

/// Makes a closure of a dependency client report when it is called before anyone has given it.
///
/// `@DependencyClient` applies it to every closure; write it to give the method another name. An
/// endpoint that nobody has given throws ``Unimplemented`` when it can; else the closure written as
/// its default says what it returns.
///
/// - Parameter method: The method's name where it is not the property's.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: arbitrary)
public macro DependencyEndpoint(method: String = "") =
  #externalMacro(module: "StoreActorMacros", type: "DependencyEndpointMacro")

/// Leaves a closure of a dependency client as it is.
@attached(peer)
public macro DependencyEndpointIgnored() =
  #externalMacro(module: "StoreActorMacros", type: "DependencyEndpointIgnoredMacro")

/// Makes a property of ``DependencyValues`` and its key in one.
///
/// ```swift
/// extension DependencyValues {
///   @DependencyEntry(liveValue: FactClient.live) var facts: FactClient = FactClient()
/// }
/// ```
///
/// The default is the value for tests. Without `liveValue` a program's value comes from a module
/// that knows it: of a `public` property the key is public, is called by its type, `FactClientKey`,
/// and conforms to ``DependencyKey`` there. Where the type is not written, a value is made once a
/// process.
///
/// Write the value as a name, such as `.live`, where its type is a `@DependencyClient`: the
/// compiler looks at the arguments of one macro before other macros have written their members, so
/// that it does not know the client's initializers there.
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
