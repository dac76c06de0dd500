import type { RepositoryCommit } from '@sluice/contract'
import { present } from '../../platform/present.ts'
import type { CommitFacts } from '../adapter/host.ts'

/** What is shown of a message: enough for release notes, not for a whole log that somebody pasted. Characters. */
const longestMessage = 4_000

export const commitToWire = ({ id, message, authorName, committedAt, url }: CommitFacts): RepositoryCommit =>
  present({
    id,
    message: message.slice(0, longestMessage),
    authorName,
    committedAt: committedAt?.toISOString(),
    url,
  })
