import Type, { type Static } from 'typebox'
import { type Ask, createAsk, type Send } from './ask.ts'
import { GitAccessLost, GitHostPermanentError, noApp } from './errors.ts'
import { createChecksAtA } from './githosta-checks.ts'
import { createInstallationVerifier, type InstallationVerifier } from './githosta-claims.ts'
import { createContentsAtA } from './githosta-contents.ts'
import { pagesOfA, parseLinkHeader } from './githosta-pages.ts'
import { createReleasesAtA } from './githosta-releases.ts'
import { createInstallationTokens, type GitHostAApp, type InstallationToken } from './githosta-tokens.ts'
import {
  type AccessibleRepository,
  type HostedRepository,
  maxRepositoryPages,
  type ReadAccess,
  type RepositoryFacts,
} from './host.ts'
import { allPages, firstPages, type Listed, ofPage, sortedNames } from './pages.ts'

export interface GitHostASettings {
  /** Web address: https://github.com or a GitHub Enterprise Server. */
  url: string
  /** Without an app, only public repositories can be read. */
  app: GitHostAApp | undefined
}

/** Repository and the installation that gives access; without one, access is anonymous. */
export interface PlaceAtA {
  repoName: string
  gitRepositoryId: string | null
  installationId: string | undefined
}

export interface GitHostA {
  url: string
  app: GitHostAApp | undefined
  repository(place: PlaceAtA): HostedRepository
  /** Lists the repositories of an installation. */
  repositories(installationId: string): Promise<Listed<AccessibleRepository>>
  claims: InstallationVerifier
}

export interface GitHostAParts extends GitHostASettings {
  clock: () => Date
  send: Send
  timeoutMs?: number
}

/** Host name in error messages. The user knows which host it is. */
const hostName = 'The git host'

/** Creates the client for GitHub or a GitHub Enterprise Server: docs.github.com/rest. */
export function createGitHostA({ url, app, clock, send, timeoutMs }: GitHostAParts): GitHostA {
  const api = apiOf(url)
  const plainAsk = createAsk({ host: hostName, send, clock, ...(timeoutMs !== undefined && { timeoutMs }) })
  const ask: typeof plainAsk = (schema, question) =>
    plainAsk(schema, {
      ...question,
      headers: { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28', ...question.headers },
    })
  const tokens = app && createInstallationTokens(app, { ask, api, clock })

  /** Retries once with a new token, because GitHub may revoke a token before it expires. */
  const askedWith =
    (tokenFor: () => Promise<InstallationToken | undefined>): Ask =>
    async (schema, question) => {
      const token = (await tokenFor())?.token
      try {
        return await ask(schema, { ...question, headers: bearer(token) })
      } catch (error) {
        if (!(error instanceof GitAccessLost && error.isTokenRejected) || token === undefined) throw error
        tokens?.forget(token)
        return ask(schema, { ...question, headers: bearer((await tokenFor())?.token) })
      }
    }

  async function repositories(installationId: string): Promise<Listed<AccessibleRepository>> {
    if (!tokens) throw noApp()
    const ours = askedWith(() => tokens.get({ installationId, repository: 'list' }))
    return firstPages(async (page) => {
      const { headers, body } = await ours(Installed, { url: `${api}${ofPage('/installation/repositories', page)}` })
      return { items: body.repositories.map(seen), ...parseLinkHeader(headers) }
    }, maxRepositoryPages)
  }

  function repository({ repoName, gitRepositoryId, installationId }: PlaceAtA): HostedRepository {
    const at = `${api}/repos/${repoName.split('/').map(encodeURIComponent).join('/')}`

    async function tokenFor(isReadOnly: boolean): Promise<InstallationToken | undefined> {
      if (installationId === undefined) return undefined
      if (!tokens) throw noApp()
      const target = gitRepositoryId === null ? { name: repoName } : { id: gitRepositoryId }
      try {
        return await tokens.get({ installationId, repository: target, isReadOnly })
      } catch (error) {
        // 422: the installation has no access to this repository.
        throw error instanceof GitHostPermanentError ? new GitAccessLost(error.message) : error
      }
    }

    const ours = askedWith(() => tokenFor(false))
    const pageOf = pagesOfA(ours, at)

    const read = async () => factsOf((await ours(Repository, { url: at })).body)

    const compare = async (from: string, to: string) =>
      (await ours(Comparison, { url: `${at}/compare/${from}...${to}?per_page=1` })).body

    async function lend(): Promise<ReadAccess | undefined> {
      const lent = await tokenFor(true)
      if (!lent) return undefined
      // Reads the current name, because the repository may have been renamed and `git` does not follow redirects.
      const { repoName: name } = await read()
      const credential = { username: 'x-access-token', password: lent.token }
      return { url: `${url}/${name}.git`, credential, freshUntil: lent.freshUntil }
    }

    return {
      read,

      ...createContentsAtA({ at, ours, pageOf }),
      ...createReleasesAtA({ at, ours, pageOf }),

      branches: async () => sortedNames(await allPages((page) => pageOf(Named, '/branches', page))),

      changedPaths: async (from, to) => pathsOf(await compare(from, to)),

      // GitHub compares with the merge base, so removed commits appear in the reverse comparison.
      async pushedPaths(before, after) {
        const comparison = await compare(before, after)
        const taken = comparison.status === 'ahead' ? { files: [] } : await compare(after, before)
        const [added, removed] = [pathsOf(comparison), pathsOf(taken)]
        return added && removed && [...new Set([...added, ...removed])]
      },

      async openPullRequests(branch, commit) {
        const { body } = await ours(Type.Array(PullRequest), { url: `${at}/commits/${commit}/pulls` })
        return body
          .filter(({ state, head }) => state === 'open' && head.ref === branch && head.sha === commit)
          .map((one) => one.number)
      },

      async setCommitStatus(commit, { name, state, description, url: target_url }) {
        const body = { state, context: name, description: description.slice(0, maxDescriptionLength), target_url }
        await ours(Type.Unknown(), { method: 'POST', url: `${at}/statuses/${commit}`, body })
      },

      async upsertComment(pullRequest, { marker, text }) {
        const comments = await allPages((page) => pageOf(IssueComment, `/issues/${pullRequest}/comments`, page))
        const marked = comments.filter((one) => one.body?.includes(marker))
        const own = marked.length === 0 ? undefined : await ownAmong(marked)
        const body = { body: `${text}\n\n${marker}` }
        if (own) await ours(Type.Unknown(), { method: 'PATCH', url: `${at}/issues/comments/${own.id}`, body })
        else await ours(Type.Unknown(), { method: 'POST', url: `${at}/issues/${pullRequest}/comments`, body })
      },

      // Check runs require an app.
      checks: app && installationId !== undefined ? createChecksAtA({ at, ours, appId: app.id }) : undefined,

      cloneAccess: async () => (await lend()) ?? { url: `${url}/${repoName}.git`, credential: undefined },
      lend,
    }
  }

  /** Returns the comment that Sluice's app wrote, because anyone can copy the marker. */
  async function ownAmong(marked: Static<typeof IssueComment>[]): Promise<Static<typeof IssueComment> | undefined> {
    const told = marked.find(({ performed_via_github_app: by }) => by && String(by.id) === app?.id)
    if (told || !tokens) return told
    // Not every version of GitHub reports the app of a comment, so compare with the name of the app's bot user.
    const bot = `${(await ask(OwnApp, { url: `${api}/app`, headers: await tokens.appHeaders() })).body.slug}[bot]`
    return marked.find(({ performed_via_github_app: by, user }) => !by && user?.type === 'Bot' && user.login === bot)
  }

  return { url, app, repository, repositories, claims: createInstallationVerifier({ url, api, ask, app, tokens }) }
}

/** Returns the API's URL for a host's web address ("Getting started with the REST API", read 2026-11). */
export function apiOf(url: string): string {
  const { protocol, host } = new URL(url)
  if (host === 'github.com') return 'https://api.github.com'
  // GitHub Enterprise Cloud with data residency.
  return host.endsWith('.ghe.com') ? `${protocol}//api.${host}` : `${url}/api/v3`
}

/** GitHub's maximum number of files in a comparison. */
const maxComparedFiles = 300
/** GitHub's maximum description length of a status. */
const maxDescriptionLength = 140

const Repository = Type.Object({
  id: Type.Integer(),
  full_name: Type.String(),
  private: Type.Boolean(),
  visibility: Type.Optional(Type.String()),
  default_branch: Type.Union([Type.String(), Type.Null()]),
})
const Installed = Type.Object({
  repositories: Type.Array(
    Type.Object({
      id: Type.Integer(),
      full_name: Type.String(),
      html_url: Type.String(),
      default_branch: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    }),
  ),
})
const Named = Type.Object({ name: Type.String() })
const Comparison = Type.Object({
  status: Type.Optional(Type.String()),
  files: Type.Optional(
    Type.Array(Type.Object({ filename: Type.String(), previous_filename: Type.Optional(Type.String()) })),
  ),
})
const PullRequest = Type.Object({
  number: Type.Integer(),
  state: Type.String(),
  head: Type.Object({ ref: Type.String(), sha: Type.String() }),
})
const IssueComment = Type.Object({
  id: Type.Integer(),
  body: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  performed_via_github_app: Type.Optional(Type.Union([Type.Object({ id: Type.Integer() }), Type.Null()])),
  user: Type.Optional(Type.Union([Type.Object({ login: Type.String(), type: Type.String() }), Type.Null()])),
})
const OwnApp = Type.Object({ slug: Type.String() })

function factsOf(repository: Static<typeof Repository>): RepositoryFacts {
  const { id, full_name: repoName, visibility, default_branch: defaultBranch } = repository
  return {
    gitRepositoryId: String(id),
    repoName,
    defaultBranch: defaultBranch ?? undefined,
    visibility: visibility === 'internal' ? 'INTERNAL' : repository.private ? 'PRIVATE' : 'PUBLIC',
  }
}

/** Returns the files of a comparison, or undefined if GitHub may have truncated them. */
function pathsOf({ files = [] }: Pick<Static<typeof Comparison>, 'files'>): string[] | undefined {
  if (files.length >= maxComparedFiles) return undefined
  return files.flatMap(({ filename, previous_filename: before }) => (before ? [before, filename] : [filename]))
}

const seen = (repository: Static<typeof Installed>['repositories'][number]): AccessibleRepository => ({
  gitRepositoryId: String(repository.id),
  repoName: repository.full_name,
  repoUrl: repository.html_url,
  defaultBranch: repository.default_branch ?? undefined,
})

const bearer = (token: string | undefined): Record<string, string> =>
  token === undefined ? {} : { authorization: `Bearer ${token}` }
