import { type Configuration, Provider } from 'oidc-provider'

// A real OpenID Connect provider in its own process, for the single sign-on tests. It accepts any user name
// with any password.
const { PORT = '', CLIENT_SECRET = '', SLUICE = '', CALLBACK_PATH = '', LOGOUT_PATH = '' } = process.env

const configuration: Configuration = {
  clients: [
    {
      client_id: 'sluice',
      client_secret: CLIENT_SECRET,
      redirect_uris: [SLUICE + CALLBACK_PATH],
      backchannel_logout_uri: SLUICE + LOGOUT_PATH,
      backchannel_logout_session_required: true,
    },
  ],
  scopes: ['openid', 'email', 'profile', 'groups'],
  claims: { email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
  features: { backchannelLogout: { enabled: true } },
  // By default, the provider doesn't call addresses on this machine, where the tested service runs.
  fetch: (url, options = {}) => {
    Reflect.deleteProperty(options, 'dispatcher')
    return globalThis.fetch(url, options)
  },
  findAccount: (_context, id) => ({
    accountId: id,
    claims: async () => ({
      sub: id,
      name: `Ms ${id}`,
      email: `${id}@example.com`,
      email_verified: id !== 'mallory',
      groups: id === 'grace' ? ['ops'] : ['everybody'],
    }),
  }),
}

new Provider(`http://127.0.0.1:${PORT}`, configuration).listen(Number(PORT), '127.0.0.1', () => {
  process.stdout.write('ready\n')
})
