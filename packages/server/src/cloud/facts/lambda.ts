/** A function, and the alias by which it is called. */
export type FunctionPlace = {
  /** Without a version or an alias. */
  functionArn: string
  aliasName: string
}

/** Where the code of a function is. */
export type CodeSource = { s3Bucket: string; s3Key: string } | { imageUri: string }

/** For people. */
export const addressOf = (code: CodeSource): string =>
  'imageUri' in code ? code.imageUri : `s3://${code.s3Bucket}/${code.s3Key}`

/** Which versions an alias sends its calls to: one, or two that share them. */
export type Routing = {
  version: string
  additionalVersion?: string
  /** The share of the additional version, from 0 to 1. */
  additionalWeight?: number
}

/** An alias as it was read or written; every write of anybody gives it another revision. */
export type AliasState = Routing & { revisionId: string }

/** A version of a function, `$LATEST` or a published one, as it was read. */
export type VersionFacts = {
  version: string
  codeSha256: string
  revisionId: string
  /** `Pending`, `Active`, `Inactive` (idle for long, started again when it is called) or `Failed`. */
  state: string
  stateReason?: string
  /** Of the last change of its code or settings: `InProgress`, `Successful` or `Failed`. */
  update: string
  updateReason?: string
  /** Of an image: with the digest that its tag stood for. */
  resolvedImageUri?: string
}

/** What two versions must have in common for an alias to share its calls between them. */
export type VersionIdentity = { role?: string; deadLetterTarget?: string }

/** What decides whether an alias can share its calls between the version that it has and another. */
export type SharingFacts = {
  /** Whether instances are kept ready for the alias; absent where the role may not know. */
  isProvisioned?: boolean
  running: VersionIdentity
  /** As the function is now, or the version that is to be released. */
  next: VersionIdentity
}

export const isSameRouting = (one: Routing, other: Routing): boolean =>
  one.version === other.version &&
  one.additionalVersion === other.additionalVersion &&
  percent(one.additionalWeight ?? 0) === percent(other.additionalWeight ?? 0)

/**
 * Whether an alias was moved to all of `target` and still sends all calls to the version `from`: one with provisioned
 * concurrency does until instances of the new version are ready.
 */
export const isMovingTo = (alias: Routing, target: Routing, from: string): boolean =>
  target.additionalVersion === undefined &&
  alias.version === target.version &&
  alias.additionalVersion === from &&
  alias.additionalWeight === 1

/** For people: `version 6 and for 10 % of the calls version 7`. */
export function routingInWords({ version, additionalVersion, additionalWeight = 0 }: Routing): string {
  if (additionalVersion === undefined) return `version ${version}`
  return `version ${version}, for ${percent(additionalWeight)} % of the calls version ${additionalVersion}`
}

/** At most two decimals: 0.055 is 5.5. */
export const percent = (weight: number): number => Math.round(weight * 10_000) / 100

/** A function as it stands, whoever made it: what it takes to release to it from now on. */
export type StandingFunction = {
  functionArn: string
  name: string
  packageType: 'zip' | 'image'
  aliasNames: string[]
  logGroup?: string
  /** Of an image: as it was given. */
  imageUri?: string
  /** The alias that is released by, where it is known which. */
  aliasName?: string
  alias?: AliasState
  /** What the alias runs. */
  version?: VersionFacts
}
