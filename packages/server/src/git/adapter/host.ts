import type { CodeSource } from '@sluice/contract'
import type { Listed } from './pages.ts'

/** Repository metadata from the host. */
export interface RepositoryFacts {
  /** The host's id, which survives a rename. */
  gitRepositoryId: string
  repoName: string
  /** Absent while the repository is empty. */
  defaultBranch: string | undefined
  visibility: CodeSource['visibility']
}

/** Commit status. A new status replaces an older one of the same name. */
export interface CommitStatus {
  name: string
  state: 'pending' | 'success' | 'failure'
  /** Description in one line. */
  description: string
  url: string
}

/** Check run of a host that lists it next to earlier ones. */
export interface CheckFacts {
  /** Sluice's id of the run. */
  id: string
  commit: string
  /** Name under which the host groups check runs, latest first. */
  name: string
}

export type CheckState = 'queued' | 'running' | 'success' | 'failure' | 'cancelled'

export interface CheckResult {
  state: CheckState
  /** Title in one line. */
  title: string
  /** Markdown, with a link to details. */
  summary: string
  /** URL at which people see the details. */
  url: string
  startedAt: Date | null
  completedAt: Date | null
}

/**
 * Check runs of a repository, by the host's ids. All methods throw an error with `isForbidden` if the permission is
 * missing.
 */
export interface RepositoryChecks {
  /** Returns the host's id of the check run if an earlier attempt created it. */
  findCheck(check: CheckFacts): Promise<string | undefined>
  createCheck(check: CheckFacts, standing: CheckResult): Promise<string>
  updateCheck(id: string, standing: CheckResult): Promise<void>
}

/** Pull request comment by Sluice, identified by a hidden marker. */
export interface Comment {
  marker: string
  text: string
}

/** URL and credential for cloning a repository, valid for an hour or two. */
export interface CloneAccess {
  url: string
  credential: { username: string; password: string } | undefined
}

/** Read-only access to one repository, which can be passed to other programs. */
export interface ReadAccess extends CloneAccess {
  credential: { username: string; password: string }
  /** Time after which a newer credential is issued. This one stays valid for some minutes longer. */
  freshUntil: Date
}

/** Repository that an installation or a connection can access. */
export interface AccessibleRepository {
  gitRepositoryId: string
  repoName: string
  /** Web address of the repository. */
  repoUrl: string
  /** Absent while the repository is empty. */
  defaultBranch: string | undefined
}

/** Maximum number of pages, of 100 repositories each, per installation or connection. */
export const maxRepositoryPages = 50

/** Branch or tag with its commit. */
export interface RefFacts {
  name: string
  commit: string
}

/** Maximum number of pages, of 100 branches or tags each. */
export const maxRefPages = 100

export interface CommitFacts {
  id: string
  message: string
  /** Absent if the host does not return it. */
  authorName: string | undefined
  committedAt: Date | undefined
  url: string
}

/** Maximum number of pages, of 100 commits each, between two refs; the newest are listed. */
export const maxCommitPages = 5

/** Merged pull request that contains a commit. */
export interface MergedPullRequest {
  number: number
  title: string
  /** Absent if the host does not return it. */
  authorName: string | undefined
  url: string
}

/** Maximum size of a returned file, in bytes. GitHub's contents API has the same limit. */
export const maxFileBytes = 1_048_576
/** Maximum number of directory entries, as in GitHub's API. */
export const maxEntries = 1_000

export interface EntryFacts {
  name: string
  type: 'FILE' | 'DIRECTORY' | 'SYMLINK' | 'SUBMODULE'
}

/** File or directory at a path of a repository. */
export type ContentFacts =
  /** Without content if the file exceeds the size limit. */
  { type: 'FILE'; bytes: number; content: Buffer | undefined } | ({ type: 'DIRECTORY' } & Listed<EntryFacts>)

/** Repository data for forms and release notes. */
export interface RepositoryContents {
  refs(type: 'BRANCH' | 'TAG'): Promise<Listed<RefFacts>>
  /** Lists the commits in `to` but not in `from`, newest first. */
  commitsBetween(from: string, to: string): Promise<Listed<CommitFacts>>
  /** Lists the merged pull requests that contain a commit. */
  mergedPullRequests(commit: string): Promise<MergedPullRequest[]>
  /** Returns the content at a path, where `''` is the root. The default ref is the default branch. */
  contents(path: string, ref: string | undefined): Promise<ContentFacts>
}

/** Release of a commit, as reported to a host. */
export interface ReleaseFacts {
  /** Sluice's id of the release. */
  id: string
  commit: string
  /** Name of the released instance, because a repository may contain several. */
  what: string
  /** Name of the environment. The host creates it if it does not exist. */
  environment: string
  /** Whether the environment is temporary. */
  isTransient: boolean
  /** Description in one line. */
  description: string
}

/** State of a release. `replaced` means that a newer release superseded it. */
export type ReleaseState = 'running' | 'success' | 'failure' | 'cancelled' | 'replaced'

export interface ReleaseStatus {
  state: ReleaseState
  /** Whether the environment is temporary. */
  isTransient: boolean
  /** Description in one line. */
  description: string
  /** URL at which people see the details. */
  url: string
}

/** Deployments of a repository, by the host's ids. */
export interface RepositoryReleases {
  /** Returns candidates for this release that an earlier attempt may have created at or after `since`, oldest first. */
  findReleases(release: ReleaseFacts, since: Date): Promise<string[]>
  createRelease(release: ReleaseFacts): Promise<string>
  /** Sets the status. Does nothing if it is already set. */
  setReleaseStatus(id: string, status: ReleaseStatus): Promise<void>
}

/** Repository at a host with the available access. All methods can throw the errors in errors.ts. */
export interface HostedRepository extends RepositoryContents, RepositoryReleases {
  read(): Promise<RepositoryFacts>
  /** Lists all branch names in a stable order. */
  branches(): Promise<string[]>
  /**
   * Returns the paths changed in `to` since its merge base with `from`, or undefined if the host's list is incomplete.
   */
  changedPaths(from: string, to: string): Promise<string[] | undefined>
  /**
   * Returns the paths changed by a push, including those of removed commits, or undefined if the host's list is
   * incomplete.
   */
  pushedPaths(before: string, after: string): Promise<string[] | undefined>
  /** Returns the numbers of open pull requests for this branch at this commit. */
  openPullRequests(branch: string, commit: string): Promise<number[]>
  setCommitStatus(commit: string, status: CommitStatus): Promise<void>
  /** Undefined if the host has only statuses. */
  checks: RepositoryChecks | undefined
  /** Creates the comment or updates the existing one. */
  upsertComment(pullRequest: number, comment: Comment): Promise<void>
  cloneAccess(): Promise<CloneAccess>
  /** Returns read-only access for other programs. Undefined if none is needed or the host cannot limit it. */
  lend(): Promise<ReadAccess | undefined>
}

/** Original payload of a webhook, without its long lists. */
export type Payload = Record<string, unknown>

/** Details of a pull request event. */
export interface PullRequestFacts {
  /** Action in GitHub's terms: `opened`, `synchronize` (new commits), `reopened` and others. */
  action: string
  /** Branch into which the request is merged. */
  baseBranch: string
  /** Commit of the target branch; undefined if the host does not send it. */
  baseCommit: string | undefined
  /** Whether its commits come from a fork, which anyone may have created. */
  isFromFork: boolean
  /** Name of the user who caused the event, for display. */
  by: string
}

/** Repository of an event. The id survives a rename. */
interface About {
  gitRepositoryId: string
  /** Current name, if the host sends it. */
  repoName?: string | undefined
  /** Installation that sent the event. */
  installationId?: string | undefined
}

/** Webhook event of a host, in common terms. */
export type HostEvent =
  | (About & {
      kind: 'push'
      branch: string
      /** Null for a new branch. */
      before: string | null
      commit: string
      /** Absent if the host does not send it. */
      committedAt?: string | undefined
      author?: string | undefined
      authorEmail?: string | undefined
      message?: string | undefined
      /** Null if the host's list is incomplete. */
      changedPaths: string[] | null
      /** Whether the push may have removed commits, which the host does not list. */
      mayBeForced?: boolean
      /** Name of the user who pushed, for display. */
      pushedBy: string
      payload?: Payload
    })
  | (About & {
      kind: 'tag'
      tag: string
      /** Commit to which the tag points. */
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
      /** Undefined if the response of the Git host is incomplete. */
      request?: PullRequestFacts
      payload?: Payload
    })
  /** A merge queue requests checks of the commit that it is about to merge. */
  | (About & {
      kind: 'merge-group'
      /** Temporary branch of the merge queue. */
      branch: string
      commit: string
      /** Target branch and its commit. */
      baseBranch: string
      baseCommit: string
      /** Name of the user who caused the event, for display. */
      by: string
    })
  /** The repository was renamed or transferred. */
  | (About & { kind: 'renamed' })
  /** Access was granted or lost. Without ids, all repositories of the installation are affected. */
  | { kind: 'access'; installationId: string; gitRepositoryIds?: string[]; isLost: boolean }
