import { type ArtifactUse, artifactUses } from '@sluice/contract'
import { registryPlace } from '../../cloud/facts/images.ts'
import type { ArtifactRow } from './tables.ts'

/**
 * What names of artifacts are made of, in any text that mentions one: the digest of a site, an archive or an image, and
 * the run in the tag of an image. As PostgreSQL reads it.
 */
export const anyMark = '[0-9a-f]{32,}|run_[0-9a-z]+(?=-)'

/** What an artifact is called by, and by it whatever else was made of the same content. */
export const markOf = ({ kind, key, digest }: MarkedArtifact): string =>
  kind === 'image' ? digest.replace(/^\w+:/, '') : (key.split('/').at(-1) ?? key).replace(/\.zip$/, '')

/** What mentions of an artifact have in them: where one of these is named, the artifact is needed. */
export const marksOf = (artifact: MarkedArtifact): string[] =>
  artifact.kind === 'image' ? [markOf(artifact), artifact.pipelineRunId] : [markOf(artifact)]

export type MarkedArtifact = Pick<ArtifactRow, 'kind' | 'key' | 'digest' | 'pipelineRunId'>

/** Something that needs what is named by a mark. */
export type Need = { use: ArtifactUse; deploymentId?: string }

/** What is needed, by marks; of several needs of one mark the strongest. */
export class Needs {
  readonly #byMark = new Map<string, Need>()

  add(mark: string, need: Need): void {
    const known = this.#byMark.get(mark)
    if (!known || isStronger(need, known)) this.#byMark.set(mark, need)
  }

  /** All marks of which something is needed. */
  marks(): string[] {
    return [...this.#byMark.keys()]
  }

  /** The strongest need of an artifact; undefined where nothing needs it. */
  of(artifact: MarkedArtifact): Need | undefined {
    const found = marksOf(artifact).flatMap((mark) => this.#byMark.get(mark) ?? [])
    return found.reduce<Need | undefined>((best, one) => (!best || isStronger(one, best) ? one : best), undefined)
  }

  /** Why an artifact stays: what needs it, or where it is. */
  keeping(artifact: MarkedArtifact & Pick<ArtifactRow, 'bucket'>): Need | undefined {
    const { kind, bucket, key } = artifact
    const isElsewhere = kind === 'image' && !registryPlace(`${bucket}/${key}`)
    return this.of(artifact) ?? (isElsewhere ? { use: 'EXTERNAL_REGISTRY' } : undefined)
  }
}

const isStronger = (one: Need, other: Need): boolean => artifactUses.indexOf(one.use) < artifactUses.indexOf(other.use)

/** A need in words. */
export const wordsOf = (need: Need | undefined): string => (need ? words[need.use] : 'Nothing needs it any more.')

const words = {
  RUNNING:
    'The last release of an instance names it: as what runs, or as what ran before; or one that failed after it.',
  IN_PROGRESS: 'A release, a run or a promotion that is not over needs it.',
  ROLLBACK: 'One of the last releases of an instance names it, and may be returned to.',
  LATEST: 'It is among the last builds of its instance.',
  RECENT: 'It is not old enough.',
  EXTERNAL_REGISTRY: "It is in a registry that is no account's: Sluice removes nothing there.",
} as const satisfies Record<ArtifactUse, string>
