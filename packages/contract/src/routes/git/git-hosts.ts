import { Type } from 'typebox'
import {
  ClaimInstallation,
  ConnectGitHostB,
  CreateGithostbInstance,
  GitHostLink,
  GithostaInstallation,
  GithostbConnection,
  GithostbInstance,
  WebhookReceipt,
  WebhookSecret,
} from '../../git/git-host.ts'
import { dataOf } from '../../values/envelope.ts'
import { FreeFormObject } from '../../values/free-form.ts'
import { IdParams } from '../../values/ids.ts'
import { listOf, PageQuery } from '../../values/list.ts'
import { noContent, type RouteTable } from '../route.ts'

const closed = { additionalProperties: false } as const

/** What the hosts put into addresses that they send people back to. */
const returned = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 2_000, description }))

const callbackQuery = {
  state: Type.String({ minLength: 1, maxLength: 2_000, description: 'As it was sent to the git host.' }),
  code: returned('The authorization code.'),
  error: returned('Why there is no code.'),
  error_description: returned('The same, for people.'),
  error_uri: returned('A page about it.'),
  iss: returned('Who says it.'),
}

const redirect = [302, Type.Void({ description: 'Nothing: it redirects to where the person began.' })] as const

/** A delivery names many commits with many files; hosts stop at 25 MB, which no push of people reaches. */
const webhookBodyBytes = 10 * 1024 * 1024

export const gitHostRoutes = {
  claimInstallation: {
    operationId: 'claimInstallation',
    method: 'POST',
    path: '/githosta-installations/claim',
    tag: 'Github',
    summary: 'Begin to let the organization use an installation of our app',
    needs: 'code-sources:write',
    body: dataOf(ClaimInstallation),
    reply: [200, dataOf(GitHostLink)],
    refuses: ['gitPersonNeeded', 'gitHostNotConfigured', 'gitHostUnreachable', 'gitHostRateLimited'],
  },
  listGithostaInstallations: {
    operationId: 'listGithostaInstallations',
    method: 'GET',
    path: '/githosta-installations',
    tag: 'Github',
    summary: 'List the installations of our app that the organization may use',
    needs: 'code-sources:read',
    query: PageQuery,
    reply: [200, listOf(GithostaInstallation)],
    refuses: ['cursorInvalid'],
  },
  deleteGithostaInstallation: {
    operationId: 'deleteGithostaInstallation',
    method: 'DELETE',
    path: '/githosta-installations/{id}',
    tag: 'Github',
    summary: 'Stop using an installation of our app',
    needs: 'code-sources:write',
    params: IdParams,
    reply: noContent,
    refuses: ['githostaInstallationNotFound', 'githostaInstallationInUse'],
  },
  /** Where the first git host sends people back to: no bearer token, the `state` stands for the caller. */
  gitHostACallback: {
    operationId: 'gitHostACallback',
    method: 'GET',
    path: '/git-host-a/callback',
    tag: 'OAuth',
    summary: 'Take back a person who chose an installation at the first git host',
    needs: 'anyone',
    query: Type.Object(
      {
        ...callbackQuery,
        installation_id: returned('The installation that was made or changed.'),
        setup_action: returned('What was done with it.'),
      },
      closed,
    ),
    reply: redirect,
    refuses: ['gitStateInvalid', 'gitAccessDenied', 'gitHostNotConfigured', 'gitHostUnreachable', 'gitHostRateLimited'],
  },
  /** Where the second git host sends people back to. */
  gitHostBCallback: {
    operationId: 'gitHostBCallback',
    method: 'GET',
    path: '/git-host-b/callback',
    tag: 'OAuth',
    summary: 'Take back a person who allowed access at the second git host',
    needs: 'anyone',
    query: Type.Object(callbackQuery, closed),
    reply: redirect,
    refuses: ['gitStateInvalid', 'gitAccessDenied', 'gitHostNotConfigured', 'gitHostUnreachable', 'gitHostRateLimited'],
  },
  createGithostbConnection: {
    operationId: 'createGithostbConnection',
    method: 'POST',
    path: '/githostb-connections',
    tag: 'Gitlab',
    summary: 'Begin to connect the organization to the second git host',
    needs: 'code-sources:write',
    body: dataOf(ConnectGitHostB),
    reply: [200, dataOf(GitHostLink)],
    refuses: ['gitPersonNeeded', 'gitHostNotConfigured', 'referenceNotFound'],
  },
  listGithostbConnections: {
    operationId: 'listGithostbConnections',
    method: 'GET',
    path: '/githostb-connections',
    tag: 'Gitlab',
    summary: 'List connections to the second git host',
    needs: 'code-sources:read',
    query: PageQuery,
    reply: [200, listOf(GithostbConnection)],
    refuses: ['cursorInvalid'],
  },
  getGithostbConnection: {
    operationId: 'getGithostbConnection',
    method: 'GET',
    path: '/githostb-connections/{id}',
    tag: 'Gitlab',
    summary: 'Get a connection to the second git host',
    needs: 'code-sources:read',
    params: IdParams,
    reply: [200, dataOf(GithostbConnection)],
    refuses: ['githostbConnectionNotFound'],
  },
  deleteGithostbConnection: {
    operationId: 'deleteGithostbConnection',
    method: 'DELETE',
    path: '/githostb-connections/{id}',
    tag: 'Gitlab',
    summary: 'Delete a connection to the second git host with its tokens',
    needs: 'code-sources:write',
    params: IdParams,
    reply: noContent,
    refuses: ['githostbConnectionNotFound', 'githostbConnectionInUse'],
  },
  createGithostbInstance: {
    operationId: 'createGithostbInstance',
    method: 'POST',
    path: '/githostb-instances',
    tag: 'Gitlab',
    summary: 'Register a self-hosted instance of the second git host',
    needs: 'code-sources:write',
    body: dataOf(CreateGithostbInstance),
    reply: [201, dataOf(GithostbInstance)],
    refuses: ['githostbInstanceTaken'],
  },
  listGithostbInstances: {
    operationId: 'listGithostbInstances',
    method: 'GET',
    path: '/githostb-instances',
    tag: 'Gitlab',
    summary: 'List self-hosted instances of the second git host',
    needs: 'code-sources:read',
    query: PageQuery,
    reply: [200, listOf(GithostbInstance)],
    refuses: ['cursorInvalid'],
  },
  getGithostbInstance: {
    operationId: 'getGithostbInstance',
    method: 'GET',
    path: '/githostb-instances/{id}',
    tag: 'Gitlab',
    summary: 'Get a self-hosted instance of the second git host',
    needs: 'code-sources:read',
    params: IdParams,
    reply: [200, dataOf(GithostbInstance)],
    refuses: ['githostbInstanceNotFound'],
  },
  deleteGithostbInstance: {
    operationId: 'deleteGithostbInstance',
    method: 'DELETE',
    path: '/githostb-instances/{id}',
    tag: 'Gitlab',
    summary: 'Delete a self-hosted instance of the second git host',
    needs: 'code-sources:write',
    params: IdParams,
    reply: noContent,
    refuses: ['githostbInstanceNotFound', 'githostbInstanceInUse'],
  },
  createWebhookSecret: {
    operationId: 'createWebhookSecret',
    method: 'POST',
    path: '/code-sources/{id}/webhook-secret',
    tag: 'Git',
    summary: 'Make a new webhook secret; the one before is no longer taken',
    needs: 'code-sources:write',
    params: IdParams,
    reply: [200, dataOf(WebhookSecret)],
    refuses: ['codeSourceNotFound', 'webhookOfApp'],
  },
  /** Called by the first git host, whose signature stands for the caller. */
  receiveGitHostAWebhook: {
    operationId: 'receiveGitHostAWebhook',
    method: 'POST',
    path: '/webhooks/githosta',
    tag: 'Github',
    summary: 'Take a delivery of the first git host',
    needs: 'anyone',
    body: FreeFormObject,
    maxBodyBytes: webhookBodyBytes,
    reply: [202, dataOf(WebhookReceipt)],
    refuses: ['webhookProofWrong', 'gitHostNotConfigured'],
  },
  /** Called by the second git host with the code source's webhook secret; the id is that of the code source. */
  receiveGitHostBWebhook: {
    operationId: 'receiveGitHostBWebhook',
    method: 'POST',
    path: '/webhooks/githostb/{id}',
    tag: 'Gitlab',
    summary: 'Take a delivery of the second git host for a code source',
    needs: 'anyone',
    params: IdParams,
    body: FreeFormObject,
    maxBodyBytes: webhookBodyBytes,
    reply: [202, dataOf(WebhookReceipt)],
    refuses: ['webhookProofWrong'],
  },
} as const satisfies RouteTable
