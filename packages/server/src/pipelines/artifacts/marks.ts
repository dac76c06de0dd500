import { type ArtifactUse, artifactUses } from '@sluice/contract'
import { registryPlace } from '../../cloud/facts/images.ts'
import type { ArtifactRow } from './tables.ts'

/**
 * Regular expression (PostgreSQL syntax) for the parts of a text that can identify an artifact: the digest of a site,
 * archive or image, or the run in an image tag.
 */
export const markPattern = '[0-9a-f]{32,}|run_[0-9a-z]+(?=-)'

/** Returns the mark of an artifact, which all artifacts with the same content share. */
export const markOf = ({ kind, key, digest }: MarkedArtifact): string =>
  kind === 'image' ? digest.replace(/^\w+:/, '') : (key.split('/').at(-1) ?? key).replace(/\.zip$/, '')

/** Returns the marks by which a text can refer to an artifact. A referenced artifact is retained. */
export const marksOf = (artifact: MarkedArtifact): string[] =>
  artifact.kind === 'image' ? [markOf(artifact), artifact.pipelineRunId] : [markOf(artifact)]

export type MarkedArtifact = Pick<ArtifactRow, 'kind' | 'key' | 'digest' | 'pipelineRunId'>

/** Reason to retain the artifacts with a mark. */
export type RetentionReason = { use: ArtifactUse; deploymentId?: string }

/** Reasons to retain artifacts, by the mark with which texts refer to them. Keeps the strongest reason for each. */
export class RetentionReasons {
  readonly #byMark = new Map<string, RetentionReason>()

  add(mark: string, need: RetentionReason): void {
    const known = this.#byMark.get(mark)
    if (!known || isStronger(need, known)) this.#byMark.set(mark, need)
  }

  /** Returns all marks with a reason. */
  marks(): string[] {
    return [...this.#byMark.keys()]
  }

  /** Returns the strongest reason to retain an artifact; undefined if there is none. */
  of(artifact: MarkedArtifact): RetentionReason | undefined {
    const found = marksOf(artifact).flatMap((mark) => this.#byMark.get(mark) ?? [])
    return found.reduce<RetentionReason | undefined>(
      (best, one) => (!best || isStronger(one, best) ? one : best),
      undefined,
    )
  }

  /** Returns why an artifact is retained: a reference, or its location in an external registry. */
  keeping(artifact: MarkedArtifact & Pick<ArtifactRow, 'bucket'>): RetentionReason | undefined {
    const { kind, bucket, key } = artifact
    const isElsewhere = kind === 'image' && !registryPlace(`${bucket}/${key}`)
    return this.of(artifact) ?? (isElsewhere ? { use: 'EXTERNAL_REGISTRY' } : undefined)
  }
}

const isStronger = (one: RetentionReason, other: RetentionReason): boolean =>
  artifactUses.indexOf(one.use) < artifactUses.indexOf(other.use)

/** Returns the message for a reason. */
export const messageFor = (need: RetentionReason | undefined): string => (need ? messages[need.use] : 'It is unused.')

const messages = {
  RUNNING:
    'The last release of an instance names it: as what runs, or as what ran before; or one that failed after it.',
  IN_PROGRESS: 'A release, a run or a promotion that is not over needs it.',
  ROLLBACK: 'One of the last releases of an instance names it, and may be returned to.',
  LATEST: 'It is among the last builds of its instance.',
  RECENT: 'It is not old enough.',
  EXTERNAL_REGISTRY: 'It is in a registry outside of cloud accounts, where Sluice removes nothing.',
} as const satisfies Record<ArtifactUse, string>
