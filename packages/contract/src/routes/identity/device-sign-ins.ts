import {
  DecideDeviceSignIn,
  DeviceSignIn,
  DeviceSignInCodes,
  DeviceToken,
  FinishDeviceSignIn,
  StartDeviceSignIn,
} from '../../identity/device-sign-in.ts'
import { dataOf } from '../../values/envelope.ts'
import { formBodyBytes, type RouteTable } from '../route.ts'

export const deviceSignInRoutes = {
  startDeviceSignIn: {
    operationId: 'startDeviceSignIn',
    method: 'POST',
    path: '/auth/device',
    tag: 'Auth',
    summary: 'Start a device authorization, which a user approves with a code in the console',
    permission: 'anyone',
    body: dataOf(StartDeviceSignIn),
    maxBodyBytes: formBodyBytes,
    response: [201, dataOf(DeviceSignInCodes)],
    errors: [],
  },
  finishDeviceSignIn: {
    operationId: 'finishDeviceSignIn',
    method: 'POST',
    path: '/auth/device/token',
    tag: 'Auth',
    summary: 'Retrieve the API key of an approved device authorization, once',
    permission: 'anyone',
    body: dataOf(FinishDeviceSignIn),
    maxBodyBytes: formBodyBytes,
    response: [200, dataOf(DeviceToken)],
    errors: ['authorizationPending', 'slowDown', 'deviceAccessDenied', 'deviceCodeExpired'],
  },
  decideDeviceSignIn: {
    operationId: 'decideDeviceSignIn',
    method: 'POST',
    path: '/auth/device/decision',
    tag: 'Auth',
    summary: 'Approve or deny a device authorization, or get its details',
    permission: 'caller',
    body: dataOf(DecideDeviceSignIn),
    response: [200, dataOf(DeviceSignIn)],
    errors: ['deviceCodeExpired'],
  },
} as const satisfies RouteTable
