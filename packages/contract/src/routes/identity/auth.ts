import { Principal } from '../../identity/principal.ts'
import { Register, Registration, SignIn } from '../../identity/sign-in.ts'
import { dataOf } from '../../values/envelope.ts'
import { formBodyBytes, noContent, type RouteTable } from '../route.ts'

export const authRoutes = {
  whoami: {
    operationId: 'whoami',
    method: 'GET',
    path: '/auth/whoami',
    tag: 'Auth',
    summary: 'Get the calling principal and its organization',
    permission: 'caller',
    response: [200, dataOf(Principal)],
    errors: [],
  },
  register: {
    operationId: 'register',
    method: 'POST',
    path: '/auth/register',
    tag: 'Auth',
    summary: 'Register an organization and its owner',
    permission: 'anyone',
    body: dataOf(Register),
    maxBodyBytes: formBodyBytes,
    response: [201, dataOf(Registration)],
    errors: ['registrationClosed'],
  },
  login: {
    operationId: 'login',
    method: 'POST',
    path: '/auth/login',
    tag: 'Auth',
    summary: 'Sign in with email address and password; the response sets the session cookie',
    permission: 'anyone',
    body: dataOf(SignIn),
    maxBodyBytes: formBodyBytes,
    response: [200, dataOf(Principal)],
    errors: ['signInFailed', 'passwordSignInOff'],
  },
  logout: {
    operationId: 'logout',
    method: 'POST',
    path: '/auth/logout',
    tag: 'Auth',
    summary: 'Sign out',
    permission: 'caller',
    response: noContent,
    errors: [],
  },
} as const satisfies RouteTable
