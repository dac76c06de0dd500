import Type, { type Static } from 'typebox'
import type { Ask } from './ask.ts'
import { GitAccessLost, noApp } from './errors.ts'
import type { GitHostAApp, InstallationTokens } from './githosta-tokens.ts'
import { allPages, pageSize } from './pages.ts'

/** An installation of our app, and the account at the host that it was made in. */
export interface ClaimedInstallation {
  installationId: string
  accountName: string
}

/** How somebody proves that an installation of our app is theirs to use. */
export interface Claimant {
  /** Where a person installs the app. */
  installUrl(state: string): Promise<string>
  /** Where a person tells us who they are at the host. */
  authorizeUrl(state: string, callbackUrl: string): string
  /**
   * The installation, if the person that the code stands for is in charge of the account it is in; otherwise why not.
   * The installation's id comes out of the address bar, so it proves nothing by itself.
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

export function createClaims({ url, api, ask, app, tokens }: Parts): Claimant {
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
      headers: { accept: 'application/json' }, // else it answers with a form
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
      if (error instanceof GitAccessLost) return false // no member, or the app may not know
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
      // Everybody who reads one repository sees the installation; it opens all of them.
      if (await isInCharge(account, headers)) return { installationId, accountName: account.login }
      return { refused: `The person is no owner of ${account.login}, so the installation is not theirs to connect.` }
    },
  }
}
