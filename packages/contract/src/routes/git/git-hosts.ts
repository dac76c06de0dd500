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

/** Parameters that git hosts add to redirect URLs. */
const returned = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 2_000, description }))

const callbackQuery = {
  state: Type.String({ minLength: 1, maxLength: 2_000, description: 'State that was sent to the git host.' }),
  code: returned('Authorization code.'),
  error: returned('Error code, if there is no authorization code.'),
  error_description: returned('Human-readable error.'),
  error_uri: returned('URL of a page about the error.'),
  iss: returned('Issuer of the response.'),
}

const redirect = [302, Type.Void({ description: 'Redirect to the page where the user started.' })] as const

/** A delivery lists many commits with many files. Git hosts stop at 25 MB, which no regular push reaches. */
const webhookBodyBytes = 10 * 1024 * 1024

export const gitHostRoutes = {
  claimInstallation: {
    operationId: 'claimInstallation',
    method: 'POST',
    path: '/githosta-installations/claim',
    tag: 'Github',
    summary: 'Start claiming an installation of the app for the organization',
    permission: 'code-sources:write',
    body: dataOf(ClaimInstallation),
    response: [200, dataOf(GitHostLink)],
    errors: ['gitPersonNeeded', 'gitHostNotConfigured', 'gitHostUnreachable', 'gitHostRateLimited'],
  },
  listGithostaInstallations: {
    operationId: 'listGithostaInstallations',
    method: 'GET',
    path: '/githosta-installations',
    tag: 'Github',
    summary: 'List installations of the app that the organization can use',
    permission: 'code-sources:read',
    query: PageQuery,
    response: [200, listOf(GithostaInstallation)],
    errors: ['cursorInvalid'],
  },
  deleteGithostaInstallation: {
    operationId: 'deleteGithostaInstallation',
    method: 'DELETE',
    path: '/githosta-installations/{id}',
    tag: 'Github',
    summary: 'Remove an installation of the app from the organization',
    permission: 'code-sources:write',
    params: IdParams,
    response: noContent,
    errors: ['githostaInstallationNotFound', 'githostaInstallationInUse'],
  },
  /** Redirect target of the first git host. Called without a bearer token; `state` identifies the caller. */
  gitHostACallback: {
    operationId: 'gitHostACallback',
    method: 'GET',
    path: '/git-host-a/callback',
    tag: 'OAuth',
    summary: 'Complete the installation of the app at the first git host',
    permission: 'anyone',
    query: Type.Object(
      {
        ...callbackQuery,
        installation_id: returned('ID of the installation that was created or changed.'),
        setup_action: returned('Action at the git host.'),
      },
      closed,
    ),
    response: redirect,
    errors: ['gitStateInvalid', 'gitAccessDenied', 'gitHostNotConfigured', 'gitHostUnreachable', 'gitHostRateLimited'],
  },
  /** Redirect target of the second git host. */
  gitHostBCallback: {
    operationId: 'gitHostBCallback',
    method: 'GET',
    path: '/git-host-b/callback',
    tag: 'OAuth',
    summary: 'Complete the authorization at the second git host',
    permission: 'anyone',
    query: Type.Object(callbackQuery, closed),
    response: redirect,
    errors: ['gitStateInvalid', 'gitAccessDenied', 'gitHostNotConfigured', 'gitHostUnreachable', 'gitHostRateLimited'],
  },
  createGithostbConnection: {
    operationId: 'createGithostbConnection',
    method: 'POST',
    path: '/githostb-connections',
    tag: 'Gitlab',
    summary: 'Start connecting the organization to the second git host',
    permission: 'code-sources:write',
    body: dataOf(ConnectGitHostB),
    response: [200, dataOf(GitHostLink)],
    errors: ['gitPersonNeeded', 'gitHostNotConfigured', 'referenceNotFound'],
  },
  listGithostbConnections: {
    operationId: 'listGithostbConnections',
    method: 'GET',
    path: '/githostb-connections',
    tag: 'Gitlab',
    summary: 'List connections to the second git host',
    permission: 'code-sources:read',
    query: PageQuery,
    response: [200, listOf(GithostbConnection)],
    errors: ['cursorInvalid'],
  },
  getGithostbConnection: {
    operationId: 'getGithostbConnection',
    method: 'GET',
    path: '/githostb-connections/{id}',
    tag: 'Gitlab',
    summary: 'Get a connection to the second git host',
    permission: 'code-sources:read',
    params: IdParams,
    response: [200, dataOf(GithostbConnection)],
    errors: ['githostbConnectionNotFound'],
  },
  deleteGithostbConnection: {
    operationId: 'deleteGithostbConnection',
    method: 'DELETE',
    path: '/githostb-connections/{id}',
    tag: 'Gitlab',
    summary: 'Delete a connection to the second git host and its tokens',
    permission: 'code-sources:write',
    params: IdParams,
    response: noContent,
    errors: ['githostbConnectionNotFound', 'githostbConnectionInUse'],
  },
  createGithostbInstance: {
    operationId: 'createGithostbInstance',
    method: 'POST',
    path: '/githostb-instances',
    tag: 'Gitlab',
    summary: 'Register a self-hosted instance of the second git host',
    permission: 'code-sources:write',
    body: dataOf(CreateGithostbInstance),
    response: [201, dataOf(GithostbInstance)],
    errors: ['githostbInstanceTaken'],
  },
  listGithostbInstances: {
    operationId: 'listGithostbInstances',
    method: 'GET',
    path: '/githostb-instances',
    tag: 'Gitlab',
    summary: 'List self-hosted instances of the second git host',
    permission: 'code-sources:read',
    query: PageQuery,
    response: [200, listOf(GithostbInstance)],
    errors: ['cursorInvalid'],
  },
  getGithostbInstance: {
    operationId: 'getGithostbInstance',
    method: 'GET',
    path: '/githostb-instances/{id}',
    tag: 'Gitlab',
    summary: 'Get a self-hosted instance of the second git host',
    permission: 'code-sources:read',
    params: IdParams,
    response: [200, dataOf(GithostbInstance)],
    errors: ['githostbInstanceNotFound'],
  },
  deleteGithostbInstance: {
    operationId: 'deleteGithostbInstance',
    method: 'DELETE',
    path: '/githostb-instances/{id}',
    tag: 'Gitlab',
    summary: 'Delete a self-hosted instance of the second git host',
    permission: 'code-sources:write',
    params: IdParams,
    response: noContent,
    errors: ['githostbInstanceNotFound', 'githostbInstanceInUse'],
  },
  createWebhookSecret: {
    operationId: 'createWebhookSecret',
    method: 'POST',
    path: '/code-sources/{id}/webhook-secret',
    tag: 'Git',
    summary: 'Create a new webhook secret and invalidate the previous one',
    permission: 'code-sources:write',
    params: IdParams,
    response: [200, dataOf(WebhookSecret)],
    errors: ['codeSourceNotFound', 'webhookOfApp'],
  },
  /** Called by the first git host, authenticated by its signature. */
  receiveGitHostAWebhook: {
    operationId: 'receiveGitHostAWebhook',
    method: 'POST',
    path: '/webhooks/githosta',
    tag: 'Github',
    summary: 'Receive a webhook from the first git host',
    permission: 'anyone',
    body: FreeFormObject,
    maxBodyBytes: webhookBodyBytes,
    response: [202, dataOf(WebhookReceipt)],
    errors: ['webhookProofWrong', 'gitHostNotConfigured'],
  },
  /** Called by the second git host with the webhook secret of the code source that `id` names. */
  receiveGitHostBWebhook: {
    operationId: 'receiveGitHostBWebhook',
    method: 'POST',
    path: '/webhooks/githostb/{id}',
    tag: 'Gitlab',
    summary: 'Receive a webhook from the second git host for a code source',
    permission: 'anyone',
    params: IdParams,
    body: FreeFormObject,
    maxBodyBytes: webhookBodyBytes,
    response: [202, dataOf(WebhookReceipt)],
    errors: ['webhookProofWrong'],
  },
} as const satisfies RouteTable
