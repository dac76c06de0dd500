import Type, { type Static } from 'typebox'
import type { Ask } from './ask.ts'
import { GitAccessLost, noApp } from './errors.ts'
import type { GitHostAApp, InstallationTokens } from './githosta-tokens.ts'
import { allPages, pageSize } from './pages.ts'

/** Installation of the GitHub App, and the account that installed it. */
export interface ClaimedInstallation {
  installationId: string
  accountName: string
}

/** Verifies that a person may use an installation of the GitHub App. */
export interface InstallationVerifier {
  /** URL at which a person installs the app. */
  installUrl(state: string): Promise<string>
  /** URL at which a person signs in to GitHub. */
  authorizeUrl(state: string, callbackUrl: string): string
  /**
   * Returns the installation if the person behind the code owns its account, or else the reason. The installation id
   * comes from a URL and proves nothing by itself.
   */
  claim(code: string, installationId: string, callbackUrl: string): Promise<ClaimedInstallation | { refused: string }>
}

interface Parts {
  url: string
  api: string
  ask: Ask
  app: GitHostAApp | undefined
  tokens: InstallationTokens | undefined
}

const App = Type.Object({ html_url: Type.String() })
const Grant = Type.Object({
  access_token: Type.Optional(Type.String()),
  error_description: Type.Optional(Type.String()),
})
const User = Type.Object({ id: Type.Integer() })
const Installation = Type.Object({
  id: Type.Integer(),
  account: Type.Object({ id: Type.Integer(), login: Type.String(), type: Type.String() }),
})
const Installations = Type.Object({ total_count: Type.Integer(), installations: Type.Array(Installation) })
const Membership = Type.Object({ state: Type.String(), role: Type.String() })

export function createInstallationVerifier({ url, api, ask, app, tokens }: Parts): InstallationVerifier {
  function ownApp(): GitHostAApp {
    if (!app) throw noApp()
    return app
  }

  async function personOf(code: string, callbackUrl: string): Promise<Record<string, string> | { refused: string }> {
    const { clientId, clientSecret } = ownApp()
    const body = { client_id: clientId, client_secret: clientSecret, code, redirect_uri: callbackUrl }
    const grant = await ask(Grant, {
      method: 'POST',
      url: `${url}/login/oauth/access_token`,
      headers: { accept: 'application/json' }, // otherwise the response is form-encoded
      body,
    })
    const { access_token: token, error_description: why } = grant.body
    return token === undefined
      ? { refused: why ?? 'The git host does not know the code.' }
      : { authorization: `Bearer ${token}` }
  }

  async function isInCharge(account: Static<typeof Installation>['account'], headers: Record<string, string>) {
    if (account.type === 'User') return (await ask(User, { url: `${api}/user`, headers })).body.id === account.id
    const organization = encodeURIComponent(account.login)
    try {
      const { body } = await ask(Membership, { url: `${api}/user/memberships/orgs/${organization}`, headers })
      return body.state === 'active' && body.role === 'admin'
    } catch (error) {
      if (error instanceof GitAccessLost) return false // not a member, or the app may not read memberships
      throw error
    }
  }

  return {
    async installUrl(state) {
      ownApp()
      const { body } = await ask(App, { url: `${api}/app`, headers: (await tokens?.appHeaders()) ?? {} })
      return `${body.html_url}/installations/new?${new URLSearchParams({ state })}`
    },

    authorizeUrl(state, callbackUrl) {
      const query = new URLSearchParams({ client_id: ownApp().clientId, redirect_uri: callbackUrl, state })
      return `${url}/login/oauth/authorize?${query}`
    },

    async claim(code, installationId, callbackUrl) {
      const headers = await personOf(code, callbackUrl)
      if ('refused' in headers) return { refused: String(headers.refused) }
      const seen = await allPages(async (page) => {
        const question = { url: `${api}/user/installations?per_page=${pageSize}&page=${page}`, headers }
        const { total_count: count, installations } = (await ask(Installations, question)).body
        return { items: installations, hasNext: page * pageSize < count }
      })
      const installation = seen.find(({ id }) => String(id) === installationId)
      if (!installation) return { refused: `The person does not see the installation ${installationId}.` }
      const { account } = installation
      // Read access to one repository is enough to list the installation, but the installation opens all of them.
      if (await isInCharge(account, headers)) return { installationId, accountName: account.login }
      return { refused: `The user is not an owner of ${account.login}, so they cannot connect its installation.` }
    },
  }
}
