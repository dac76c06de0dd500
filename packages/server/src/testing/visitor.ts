import type { HttpWorldOptions, startHttpWorld } from './http-world.ts'

type World = Awaited<ReturnType<typeof startHttpWorld>>

export const password = 'correct horse battery staple'

/** Limits that allow many failed sign-ins. */
export const plenty: NonNullable<HttpWorldOptions['limits']> = {
  passwordsByAccount: { failures: 1000, withinSeconds: 60 },
  passwordsByAccountAnywhere: { failures: 1000, withinSeconds: 60 },
  passwordsByAddress: { failures: 1000, withinSeconds: 60 },
}

/** Returns a client without credentials. */
export function visitor(world: World) {
  const post = (path: string, data: unknown, headers: Record<string, string> = {}) =>
    world.ask(path, {
      method: 'POST',
      body: JSON.stringify({ data }),
      headers: { 'content-type': 'application/json', ...headers },
    })
  return {
    post,
    register: (email: string, change: Record<string, unknown> = {}) =>
      post('/auth/register', { email, password, fullName: 'Ada', organizationName: 'Acme', ...change }),
    login: (email: string, change: Record<string, unknown> = {}) => post('/auth/login', { email, password, ...change }),
  }
}

/** Returns the cookie that a response sets, in the form of a request header. */
export const cookieOf = (headers: Headers): string => headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
