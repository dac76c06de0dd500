import type { RepositoryCommit } from '@sluice/contract'
import { present } from '../../platform/present.ts'
import type { CommitFacts } from '../adapter/host.ts'

/** Maximum length of a returned commit message, in characters. */
const maxMessageLength = 4_000

export const commitToWire = ({ id, message, authorName, committedAt, url }: CommitFacts): RepositoryCommit =>
  present({
    id,
    message: message.slice(0, maxMessageLength),
    authorName,
    committedAt: committedAt?.toISOString(),
    url,
  })
