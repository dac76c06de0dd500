import { createHash } from 'node:crypto'
import Type, { type Static } from 'typebox'
import { type Ask, createAsk, type Send } from './ask.ts'
import { GitAccessLost, GitHostPermanentError } from './errors.ts'
import { createContentsAtB } from './githostb-contents.ts'
import { pagesOfGithostb } from './githostb-pages.ts'
import { createReleasesAtB } from './githostb-releases.ts'
import { type AccessibleRepository, type HostedRepository, maxRepositoryPages, type RepositoryFacts } from './host.ts'
import { allPages, firstPages, type Listed, sortedNames } from './pages.ts'

/** Access token of a person, refreshed when it expires. */
export interface AccessTokens {
  current(): Promise<string>
  /** Returns a different token after the host rejected this one. */
  insteadOf(rejected: string): Promise<string>
}

/** Project and the tokens that give access; without tokens, access is anonymous. */
export interface PlaceAtB {
  repoName: string
  gitRepositoryId: string | null
  tokens: AccessTokens | undefined
}

/** Sluice's OAuth application at the host. */
export interface OAuthClient {
  clientId: string
  clientSecret: string
}

/** Tokens issued for an authorization code or a refresh token. */
export interface GrantedTokens {
  accessToken: string
  refreshToken: string
  expiresAt: Date
}

export interface GitHostB {
  url: string
  repository(place: PlaceAtB): HostedRepository
  /** Lists the projects in which the person is a member. */
  repositories(tokens: AccessTokens): Promise<Listed<AccessibleRepository>>
  /**
   * Returns the URL at which a person grants access. The PKCE `verifier` stays on the server, so that a stolen code is
   * useless.
   */
  authorizeUrl(clientId: string, request: { state: string; callbackUrl: string; verifier: string }): string
  exchange(client: OAuthClient, given: { code: string; callbackUrl: string; verifier: string }): Promise<GrantedTokens>
  /** Exchanges the refresh token, which is then invalid, for new tokens. */
  refresh(client: OAuthClient, refreshToken: string): Promise<GrantedTokens>
  /** Returns the user of an access token. */
  person(accessToken: string): Promise<{ userId: string; userName: string }>
}

export interface GitHostBParts {
  /** Web address: https://gitlab.com or a self-managed GitLab. */
  url: string
  send: Send
  clock: () => Date
  timeoutMs?: number
}

/** Host name in error messages. The user knows which host it is. */
const hostName = 'The git host'

/**
 * OAuth scope. GitLab has no narrower one for statuses, deployments and comments
 * (docs.gitlab.com/integration/oauth_provider).
 */
const scope = 'api'

/** Creates the client for GitLab.com or a self-managed GitLab: docs.gitlab.com/api/rest. */
export function createGitHostB({ url, send, clock, timeoutMs }: GitHostBParts): GitHostB {
  const api = `${url}/api/v4`
  const ask = createAsk({ host: hostName, send, clock, ...(timeoutMs !== undefined && { timeoutMs }) })

  const userOf = async (headers: Record<string, string>) => (await ask(User, { url: `${api}/user`, headers })).body

  async function grant(client: OAuthClient, wish: Record<string, string>): Promise<GrantedTokens> {
    const body = { client_id: client.clientId, client_secret: client.clientSecret, ...wish }
    const granted = (await ask(Grant, { method: 'POST', url: `${url}/oauth/token`, body })).body
    const lifeMs = (granted.expires_in ?? defaultLifeSeconds) * 1_000
    return {
      accessToken: granted.access_token,
      refreshToken: granted.refresh_token,
      expiresAt: new Date(clock().getTime() + lifeMs),
    }
  }

  /** Retries once with a new token, because GitLab may revoke a token before it expires. */
  const askedWith =
    (tokens: AccessTokens): Ask =>
    async (schema, question) => {
      const token = await tokens.current()
      try {
        return await ask(schema, { ...question, headers: bearer(token) })
      } catch (error) {
        if (!(error instanceof GitAccessLost && error.isTokenRejected)) throw error
        return ask(schema, { ...question, headers: bearer(await tokens.insteadOf(token)) })
      }
    }

  function repository({ repoName, gitRepositoryId, tokens }: PlaceAtB): HostedRepository {
    const at = `${api}/projects/${gitRepositoryId ?? encodeURIComponent(repoName)}`

    const ours = tokens ? askedWith(tokens) : ask
    const pageOf = pagesOfGithostb(ours, at)

    const read = async () => factsOf((await ours(Project, { url: at })).body)

    /** Compares with the merge base, or with `straight` directly with the commit. */
    async function compare(range: { from: string; to: string; straight?: 'true' }): Promise<string[] | undefined> {
      const { body } = await ours(Comparison, { url: `${at}/repository/compare?${new URLSearchParams(range)}` })
      if (body.compare_timeout) return undefined
      return [...new Set(body.diffs.flatMap(({ old_path, new_path }) => [old_path, new_path]))]
    }

    return {
      read,

      ...createContentsAtB({ at, ours, pageOf }),
      ...createReleasesAtB({ at, ours, pageOf }),

      branches: async () => sortedNames(await allPages((page) => pageOf(Named, '/repository/branches', page))),

      changedPaths: (from, to) => compare({ from, to }),
      pushedPaths: (from, to) => compare({ from, to, straight: 'true' }),

      async openPullRequests(branch, commit) {
        const query = new URLSearchParams({ state: 'opened', source_branch: branch })
        const found = await allPages((page) => pageOf(MergeRequest, `/merge_requests?${query}`, page))
        return found.filter(({ sha }) => sha === commit).map(({ iid }) => iid)
      },

      async setCommitStatus(commit, { name, state, description, url: target_url }) {
        const body = {
          state: stateAtB[state],
          name,
          description: description.slice(0, maxDescriptionLength),
          target_url,
        }
        try {
          await ours(Type.Unknown(), { method: 'POST', url: `${at}/statuses/${commit}`, body })
        } catch (error) {
          // "Cannot transition status via :enqueue from :pending" means that the status is already set.
          if (!(error instanceof GitHostPermanentError && error.message.includes('Cannot transition status')))
            throw error
        }
      },

      // GitLab shows commit statuses with its CI jobs, so it needs no separate checks.
      checks: undefined,

      async upsertComment(pullRequest, { marker, text }) {
        if (!tokens) throw new GitAccessLost('Without a connection nothing can be written.')
        const me = await userOf(bearer(await tokens.current()))
        const notes = await allPages((page) => pageOf(Note, `/merge_requests/${pullRequest}/notes`, page))
        // Anyone can copy the marker.
        const own = notes.find(({ author, body }) => author.id === me.id && body.includes(marker))
        const body = { body: `${text}\n\n${marker}` }
        const notesUrl = `${at}/merge_requests/${pullRequest}/notes`
        if (own) await ours(Type.Unknown(), { method: 'PUT', url: `${notesUrl}/${own.id}`, body })
        else await ours(Type.Unknown(), { method: 'POST', url: notesUrl, body })
      },

      async cloneAccess() {
        if (!tokens) return { url: `${url}/${repoName}.git`, credential: undefined }
        // Reads the current name, because `git` does not follow redirects after a rename. The request also refreshes an
        // expired token.
        const { repoName: name } = await read()
        return { url: `${url}/${name}.git`, credential: { username: 'oauth2', password: await tokens.current() } }
      },

      // The tokens have all permissions of the person who connected, so they are never passed on.
      lend: async () => undefined,
    }
  }

  return {
    url,
    repository,

    async repositories(tokens) {
      const pageOf = pagesOfGithostb(askedWith(tokens), api)
      const list = '/projects?membership=true&simple=true&order_by=id'
      const { items, isComplete } = await firstPages((page) => pageOf(SeenProject, list, page), maxRepositoryPages)
      return { items: items.map(seen), isComplete }
    },

    authorizeUrl(clientId, { state, callbackUrl, verifier }) {
      const query = new URLSearchParams({
        client_id: clientId,
        redirect_uri: callbackUrl,
        response_type: 'code',
        scope,
        state,
        code_challenge: createHash('sha256').update(verifier).digest('base64url'), // RFC 7636
        code_challenge_method: 'S256',
      })
      return `${url}/oauth/authorize?${query}`
    },

    exchange: (client, { code, callbackUrl, verifier }) =>
      grant(client, { grant_type: 'authorization_code', code, redirect_uri: callbackUrl, code_verifier: verifier }),

    refresh: (client, refreshToken) => grant(client, { grant_type: 'refresh_token', refresh_token: refreshToken }),

    async person(accessToken) {
      const { id, username } = await userOf(bearer(accessToken))
      return { userId: String(id), userName: username }
    },
  }
}

const stateAtB = { pending: 'pending', success: 'success', failure: 'failed' } as const
/** GitLab's maximum description length of a status. */
const maxDescriptionLength = 255
/** Default token lifetime since GitLab 15, in seconds. */
const defaultLifeSeconds = 7_200

const Project = Type.Object({
  id: Type.Integer(),
  path_with_namespace: Type.String(),
  // GitLab omits these two fields for anonymous requests.
  default_branch: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  visibility: Type.Optional(Type.String()),
})
/** Project as returned in lists. */
const SeenProject = Type.Object({
  id: Type.Integer(),
  path_with_namespace: Type.String(),
  web_url: Type.String(),
  default_branch: Type.Optional(Type.Union([Type.String(), Type.Null()])),
})
const Named = Type.Object({ name: Type.String() })
const Comparison = Type.Object({
  diffs: Type.Array(Type.Object({ old_path: Type.String(), new_path: Type.String() })),
  compare_timeout: Type.Optional(Type.Boolean()),
})
const MergeRequest = Type.Object({ iid: Type.Integer(), sha: Type.Union([Type.String(), Type.Null()]) })
const Note = Type.Object({
  id: Type.Integer(),
  body: Type.String(),
  author: Type.Object({ id: Type.Integer() }),
})
const User = Type.Object({ id: Type.Integer(), username: Type.String() })
const Grant = Type.Object({
  access_token: Type.String(),
  refresh_token: Type.String(),
  expires_in: Type.Optional(Type.Number()),
})

const visibilities = { private: 'PRIVATE', internal: 'INTERNAL', public: 'PUBLIC' } as const

function factsOf(project: Static<typeof Project>): RepositoryFacts {
  const { id, path_with_namespace: repoName, visibility = 'public', default_branch: defaultBranch } = project
  return {
    gitRepositoryId: String(id),
    repoName,
    defaultBranch: defaultBranch ?? undefined,
    visibility: visibilities[visibility as keyof typeof visibilities] ?? 'UNKNOWN',
  }
}

const seen = (project: Static<typeof SeenProject>): AccessibleRepository => ({
  gitRepositoryId: String(project.id),
  repoName: project.path_with_namespace,
  repoUrl: project.web_url,
  defaultBranch: project.default_branch ?? undefined,
})

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
