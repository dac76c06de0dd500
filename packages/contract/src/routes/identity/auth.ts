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
    needs: 'caller',
    reply: [200, dataOf(Principal)],
    refuses: [],
  },
  register: {
    operationId: 'register',
    method: 'POST',
    path: '/auth/register',
    tag: 'Auth',
    summary: 'Register an organization and its owner',
    needs: 'anyone',
    body: dataOf(Register),
    maxBodyBytes: formBodyBytes,
    reply: [201, dataOf(Registration)],
    refuses: ['registrationClosed'],
  },
  login: {
    operationId: 'login',
    method: 'POST',
    path: '/auth/login',
    tag: 'Auth',
    summary: 'Sign in with email address and password; the response sets the session cookie',
    needs: 'anyone',
    body: dataOf(SignIn),
    maxBodyBytes: formBodyBytes,
    reply: [200, dataOf(Principal)],
    refuses: ['signInFailed', 'passwordSignInOff'],
  },
  logout: {
    operationId: 'logout',
    method: 'POST',
    path: '/auth/logout',
    tag: 'Auth',
    summary: 'Sign out',
    needs: 'caller',
    reply: noContent,
    refuses: [],
  },
} as const satisfies RouteTable
