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
    summary: 'Who is calling, and in which organization',
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
    summary: 'Sign in with email and password; the reply sets the session cookie',
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
    summary: 'End the session',
    needs: 'caller',
    reply: noContent,
    refuses: [],
  },
} as const satisfies RouteTable
