import type { CodeSource } from '@sluice/contract'
import type { Listed } from './pages.ts'

/** What a host says of one of its repositories. */
export interface RepositoryFacts {
  /** The host's own id, which outlives a rename. */
  gitRepositoryId: string
  repoName: string
  /** Absent while the repository is empty. */
  defaultBranch: string | undefined
  visibility: CodeSource['visibility']
}

/** What is shown at a commit; statuses of one name replace each other. */
export interface CommitStatus {
  name: string
  state: 'pending' | 'success' | 'failure'
  /** One line. */
  description: string
  url: string
}

/** A run as a host is told of it that shows each beside those before. */
export interface CheckFacts {
  /** Our own id of it. */
  id: string
  commit: string
  /** Runs of one name are shown as one, the latest before the others. */
  name: string
}

export type CheckState = 'queued' | 'running' | 'success' | 'failure' | 'cancelled'

export interface CheckStanding {
  state: CheckState
  /** One line. */
  title: string
  /** Markdown, with a link to more. */
  summary: string
  /** Where people see more. */
  url: string
  startedAt: Date | null
  completedAt: Date | null
}

/** What a host shows of runs, by the id that it gives them. Where we were not granted it, all throw `isForbidden`. */
export interface RepositoryChecks {
  /** That of ours which is this run, if making it was tried before. */
  findCheck(check: CheckFacts): Promise<string | undefined>
  createCheck(check: CheckFacts, standing: CheckStanding): Promise<string>
  updateCheck(id: string, standing: CheckStanding): Promise<void>
}

/** A comment of ours at a pull request. There is one for each marker, which readers do not see. */
export interface Comment {
  marker: string
  text: string
}

/** Where a repository is cloned from, and what lets us in; good for an hour or two. */
export interface CloneAccess {
  url: string
  credential: { username: string; password: string } | undefined
}

/** Access that can be handed to others: it reads the one repository and nothing else. */
export interface Loan extends CloneAccess {
  credential: { username: string; password: string }
  /** Whoever asks after this gets a newer one; this one is good for some minutes more. */
  freshUntil: Date
}

/** A repository that an installation or a connection sees. */
export interface SeenRepository {
  gitRepositoryId: string
  repoName: string
  /** Where people see it. */
  repoUrl: string
  /** Absent while the repository is empty. */
  defaultBranch: string | undefined
}

/** The most that is listed of what an installation or a connection sees: pages of a hundred. */
export const mostRepositoryPages = 50

/** A branch or a tag, and the commit that it stands for. */
export interface RefFacts {
  name: string
  commit: string
}

/** The most branches or tags that are listed: pages of a hundred. */
export const mostRefPages = 100

export interface CommitFacts {
  id: string
  message: string
  /** Absent where the host does not tell. */
  authorName: string | undefined
  committedAt: Date | undefined
  url: string
}

/** The most commits that are listed between two refs, the newest: pages of a hundred. */
export const mostCommitPages = 5

/** A pull request that brought a commit in. */
export interface MergedPullRequest {
  number: number
  title: string
  /** Absent where the host does not tell. */
  authorName: string | undefined
  url: string
}

/** The largest file that is shown: above 1 MiB the first host shows none in this way either. Bytes. */
export const mostFileBytes = 1_048_576
/** The most entries of a directory that the first host lists, and so the second. */
export const mostEntries = 1_000

export interface EntryFacts {
  name: string
  type: 'FILE' | 'DIRECTORY' | 'SYMLINK' | 'SUBMODULE'
}

/** What is at a path. */
export type ContentFacts =
  /** Without content where it is larger than we show. */
  { type: 'FILE'; bytes: number; content: Buffer | undefined } | ({ type: 'DIRECTORY' } & Listed<EntryFacts>)

/** What forms and release notes need of a repository. */
export interface RepositoryContents {
  refs(type: 'BRANCH' | 'TAG'): Promise<Listed<RefFacts>>
  /** What is in `to` and not in `from`, the newest first. */
  commitsBetween(from: string, to: string): Promise<Listed<CommitFacts>>
  /** Those that were merged and brought in a commit. */
  mergedPullRequests(commit: string): Promise<MergedPullRequest[]>
  /** What is at a path from the root, itself `''`; without a ref, in the default branch. */
  contents(path: string, ref: string | undefined): Promise<ContentFacts>
}

/** A release of a commit, as a host is told of it. */
export interface ReleaseFacts {
  /** Our own id of it. */
  id: string
  commit: string
  /** What is released: a repository may hold several things. */
  what: string
  /** Where, as people call it; made by the host where it has none of this name. */
  environment: string
  /** Whether the environment goes again. */
  isTransient: boolean
  /** One line. */
  description: string
}

/** How a release stands; `replaced`: another one took its place. */
export type ReleaseState = 'running' | 'success' | 'failure' | 'cancelled' | 'replaced'

export interface ReleaseStatus {
  state: ReleaseState
  /** Whether the environment goes with what it was made for. */
  isTransient: boolean
  /** One line. */
  description: string
  /** Where people see more. */
  url: string
}

/** What a host shows of releases, by the id that it gives them. */
export interface RepositoryReleases {
  /** Which ones may be this release, if making it was tried at `since` or later; the oldest first. */
  findReleases(release: ReleaseFacts, since: Date): Promise<string[]>
  createRelease(release: ReleaseFacts): Promise<string>
  /** Changes nothing where that is what was said last. */
  setReleaseStatus(id: string, status: ReleaseStatus): Promise<void>
}

/** One repository at its host, with the access that we have to it. Every method may throw what errors.ts knows. */
export interface HostedRepository extends RepositoryContents, RepositoryReleases {
  read(): Promise<RepositoryFacts>
  /** The names of all branches, in one order whatever the host's is. */
  branches(): Promise<string[]>
  /** What `to` changes since it and `from` parted; undefined where the host does not tell all of it. */
  changedPaths(from: string, to: string): Promise<string[] | undefined>
  /** What a push from one commit to another changes, with what it takes back; undefined as above. */
  pushedPaths(before: string, after: string): Promise<string[] | undefined>
  /** The numbers of the open pull requests that would bring in this branch at this commit. */
  openPullRequests(branch: string, commit: string): Promise<number[]>
  setCommitStatus(commit: string, status: CommitStatus): Promise<void>
  /** Undefined where statuses are all that the host has. */
  checks: RepositoryChecks | undefined
  /** Writes our comment, or writes it anew where it is there. */
  upsertComment(pullRequest: number, comment: Comment): Promise<void>
  cloneAccess(): Promise<CloneAccess>
  /** Undefined where no credential is needed, or where the host has none so narrow. */
  lend(): Promise<Loan | undefined>
}

/** What a delivery says in the host's own words, as far as it is short. */
export type Payload = Record<string, unknown>

/** What a pull request asks for. */
export interface PullRequestFacts {
  /** As the first host calls it: `opened`, `synchronize` (new commits), `reopened`, and others. */
  action: string
  /** The branch that it is to be merged into, and the commit that it was compared with. */
  baseBranch: string
  /** Undefined where the host does not tell it. */
  baseCommit: string | undefined
  /** Whether its commits are in another repository, which anybody may have made. */
  isFromFork: boolean
  /** For people. */
  by: string
}

/** Which repository an event is about: the id outlives a new name. */
interface About {
  gitRepositoryId: string
  /** As it is called now, where the host tells. */
  repoName?: string | undefined
  /** The installation that the event came by. */
  installationId?: string | undefined
}

/** What a host tells by itself, as far as it concerns us. */
export type HostEvent =
  | (About & {
      kind: 'push'
      branch: string
      /** Null for a new branch. */
      before: string | null
      commit: string
      /** Absent where the host does not tell. */
      committedAt?: string | undefined
      author?: string | undefined
      authorEmail?: string | undefined
      message?: string | undefined
      /** Null where the host did not tell all of them. */
      changedPaths: string[] | null
      /** Whether it may take back commits, of which the host lists nothing. */
      mayBeForced?: boolean
      /** For people. */
      pushedBy: string
      payload?: Payload
    })
  | (About & {
      kind: 'tag'
      tag: string
      /** The one that it stands for. */
      commit: string
      committedAt?: string | undefined
      author?: string | undefined
      authorEmail?: string | undefined
      message?: string | undefined
      pushedBy: string
    })
  | (About & {
      kind: 'pull-request'
      number: number
      branch: string
      commit: string
      isOpen: boolean
      /** Undefined where the host did not tell all of it. */
      request?: PullRequestFacts
      payload?: Payload
    })
  /** A merge queue asks for checks of a commit that it is about to merge. */
  | (About & {
      kind: 'merge-group'
      /** The temporary branch. */
      branch: string
      commit: string
      /** The branch that it is to be merged into, and the commit there. */
      baseBranch: string
      baseCommit: string
      /** For people. */
      by: string
    })
  /** The repository has another name or another owner. */
  | (About & { kind: 'renamed' })
  /** Without repositories it concerns all that the installation saw. */
  | { kind: 'access'; installationId: string; gitRepositoryIds?: string[]; isLost: boolean }
