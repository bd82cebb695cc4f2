/// Marks a property as private to the process that owns the state.
///
/// Copies in other processes have the value that the declaration gives, so it has to give one:
///
/// ```swift
/// @ReplicationIgnored var cache: [Int: String] = [:]
/// ```
///
/// On a case of an action: no client can send it.
@attached(peer)
public macro ReplicationIgnored() =
  #externalMacro(module: "StoreActorMacros", type: "StateMarkerMacro")

/// Says what a replicated property or case was called before.
///
/// What was written under the old name is read as this property or case; what is written has the
/// new name.
///
/// ```swift
/// @Replicated(formerly: "name") var title = ""
/// ```
///
/// - Parameter formerly: The old name.
@attached(peer)
public macro Replicated(formerly: String) =
  #externalMacro(module: "StoreActorMacros", type: "StateMarkerMacro")

/// Replicates a property of a type that is `Codable` and not `ReplicatedState`.
///
/// Other programs see any item there, and the property is replaced as a whole whenever it changes.
/// Its type's `encode(to:)` must not throw, and what it decodes must encode to the same again. A
/// value that throws is reported as an issue, and copies get null in its place.
@attached(peer)
public macro ReplicatedAsCodable() =
  #externalMacro(module: "StoreActorMacros", type: "StateMarkerMacro")

/// Marks a property that begins anew after a restart, with its default value.
///
/// One that travels is kept all the same, so that a revision is brought back as everybody saw it;
/// the first revision after the restart gives it its default. One that is `@ReplicationIgnored` too
/// is not kept, and needs no form.
///
/// ```swift
/// @DurableIgnored var isSaving = false
/// @ReplicationIgnored @DurableIgnored var cache: [Int: String] = [:]
/// ```
@attached(peer)
public macro DurableIgnored() =
  #externalMacro(module: "StoreActorMacros", type: "StateMarkerMacro")

/// Keeps a hidden property of a durable state whose type is `Codable` and not `ReplicatedState`.
///
/// It is written as a whole whenever it changes; what holds for `@ReplicatedAsCodable` holds here.
///
/// ```swift
/// @ReplicationIgnored @DurableAsCodable var calendar: Calendar = .current
/// ```
@attached(peer)
public macro DurableAsCodable() =
  #externalMacro(module: "StoreActorMacros", type: "StateMarkerMacro")
