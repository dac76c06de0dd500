import { type DeploymentData, type DeploymentSource, releaseMarksOf } from '@sluice/contract'
import { present } from '../../../platform/present.ts'
import type { Release } from '../types/release.ts'
import type { PublishedAt } from './sources.ts'

/** Known data of a commit; `url` and the like belong to that commit alone. */
export type KnownCommit = Pick<
  DeploymentSource,
  'commit' | 'branch' | 'committedAt' | 'author' | 'message' | 'repository' | 'url'
>

type Known = { release: Release; data: DeploymentData; inputs: Readonly<Record<string, unknown>> }

/** Commits of builds that produced this artifact, latest first, and the commit of the push that started the run. */
type Commits = { built?: readonly KnownCommit[]; pushed?: KnownCommit | undefined }

/**
 * Returns the source of a release. The commit is the one that instances check out; otherwise, in this order, the one in
 * the inputs, of the build, of the push, or in the image tag. The tasks report which image a tag resolved to when the
 * release ends.
 */
export function sourceOf(
  { release, data, inputs }: Known,
  { built = [], pushed }: Commits,
  digestAtEnd?: string,
): DeploymentSource {
  const { image: marked } = releaseMarksOf(data)
  const image = data.type === 'cloud:lambda' ? (data.resolvedImageUri ?? marked) : marked
  const named =
    checkedOut(release) ?? inInputs(inputs) ?? built.find(({ commit }) => commit === pushed?.commit) ?? built[0]
  const isPushed = named?.commit === undefined || isSame(named.commit, pushed?.commit)
  const git: KnownCommit = isPushed ? { ...named, ...pushed } : { ...named }
  return present({
    ...git,
    commit: git.commit ?? (image === undefined ? undefined : commitInTag(image)),
    image,
    imageDigest: image?.split('@')[1] ?? digestAtEnd,
    object: objectOf(data),
  })
}

const wholeCommit = /^[0-9a-f]{40}$/
const anyCommit = /^[0-9a-f]{7,64}$/

/** Returns the commit that instances check out. A tag can only be resolved to a commit by its host. */
function checkedOut(release: Release): KnownCommit | undefined {
  if (release.type !== 'cloud:ec2' || release.definition.runtime !== 'manual') return undefined
  const { source } = release.definition
  if (!source) return undefined
  const { repo: repository, branch, ref = '' } = source
  return present({ repository, branch, commit: anyCommit.test(ref) ? ref : undefined })
}

/** Common names of inputs that contain a commit. */
const commitInputs = ['commit', 'commit_sha', 'git_commit']
const branchInputs = ['branch', 'git_branch']

/** Maximum length of a branch name on Git hosts, in characters. */
const maxBranchLength = 255

function inInputs(inputs: Readonly<Record<string, unknown>>): KnownCommit | undefined {
  const textOf = (ids: readonly string[], isOne: (text: string) => boolean) =>
    ids.map((id) => inputs[id]).find((value): value is string => typeof value === 'string' && isOne(value))
  const commit = textOf(commitInputs, (text) => anyCommit.test(text))
  if (commit === undefined) return undefined
  return present({ commit, branch: textOf(branchInputs, (text) => text !== '' && text.length <= maxBranchLength) })
}

/** Compares commits that may be abbreviated. */
const isSame = (one: string, other: string | undefined): boolean =>
  other !== undefined && (other.startsWith(one) || one.startsWith(other))

function commitInTag(image: string): string | undefined {
  const tag = image.split('@')[0]?.split('/').at(-1)?.split(':')[1]
  return tag !== undefined && wholeCommit.test(tag) ? tag : undefined
}

/**
 * Returns where the artifact of a release is stored. A tag is not sufficient, because it may refer to another image by
 * now.
 */
export function publishedAt(data: DeploymentData): PublishedAt | undefined {
  const object = objectOf(data)
  if (object) return { bucket: object.bucket, key: object.key }
  const [, bucket, key, digest] = /^([^/@]+)\/([^@:]+)(?::[^@]+)?@(.+)$/.exec(releaseMarksOf(data).image ?? '') ?? []
  return bucket && key && digest ? { bucket, key, digest } : undefined
}

function objectOf(data: DeploymentData): DeploymentSource['object'] {
  if (data.type === 'cloud:static') return { bucket: data.bucket, key: data.prefix }
  if (data.type !== 'cloud:lambda' || data.s3Bucket === undefined || data.s3Key === undefined) return undefined
  return present({ bucket: data.s3Bucket, key: data.s3Key, sha256: data.codeSha256 })
}
