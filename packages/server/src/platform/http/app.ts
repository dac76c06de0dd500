import compress from '@fastify/compress'
import type { ApiErrorKey } from '@sluice/contract'
import fastJsonStringify, { type Schema } from 'fast-json-stringify'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest, LogController } from 'fastify'
import type { Attempts } from '../auth/attempts.ts'
import type { Caller } from '../auth/caller.ts'
import type { Callers } from '../auth/callers.ts'
import { PermissionWatcher, type ReadPermissionFingerprints } from '../auth/rights-watch.ts'
import type { SessionLife } from '../auth/session-cookie.ts'
import type { Database } from '../db/open.ts'
import type { Message } from '../engine/messages.ts'
import { newId } from '../ids.ts'
import type { Limits } from '../limits/limits.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { type Declarations, dependentsIn, type FindDependents, scopesIn } from '../records.ts'
import { ApiError } from './api-error.ts'
import { acceptJson } from './body.ts'
import { enableCors, securityHeaders } from './browsers.ts'
import { ServedPaths } from './connections/served-paths.ts'
import { endUnusedConnections } from './connections/unused-connections.ts'
import { Upgrades } from './connections/upgrades.ts'
import { replyClientError, replyError, requestIdHeader } from './error-reply.ts'
import type { IdempotentExecutor } from './once.ts'
import type { OwnRequests } from './own-requests.ts'
import type { OpenPage } from './pagination.ts'
import type { DescribeScope, FindScopes } from './rights.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Authenticates the callers of requests. */
    callers: Callers
    /** Sends requests of this process to its own API, without the network. */
    ownRequests: OwnRequests
    /** Ends a stream when its caller loses the permission to read it. */
    rightsWatch: PermissionWatcher
    /** Counts failed sign-ins and invalid credentials, to limit brute-force attacks. */
    attempts: Attempts
    sessionLife: SessionLife
    limits: Limits
    metrics: Metrics
    /** Sends messages to the engine. The reconciler resends those that fail. */
    sendMessages(messages: readonly Message[]): Promise<void>
    openPage: OpenPage
    /** Public origin of the service, such as `https://sluice.example.com`, if the operator has configured one. */
    publicOrigin: string | undefined
    /** Runs a request at most once per idempotency key. */
    answerOnce: IdempotentExecutor
    /** Returns the database restricted to one organization. */
    ofOrganization: Database['ofOrganization']
    /** Returns the scopes of the records that a request names. */
    findScopes: FindScopes
    /** Returns the dependents that prevent the deletion of a record. */
    findDependents: FindDependents
    /** Returns the display name of a scope and the owners, who can grant roles in it. */
    tellPlace: DescribeScope
    /**
     * Hooks that record rejected requests, by error key. They run after the rollback of the transaction of the request.
     */
    afterRejection: Map<ApiErrorKey, AfterRejection>
    /** Paths that are served, to distinguish a wrong method (405) from an unknown path (404). */
    servedPaths: ServedPaths
    upgrades: Upgrades
  }
  interface FastifyRequest {
    /** Null on routes without authentication, and before the caller is authenticated. */
    caller: Caller | null
    /** Unparsed body for the verification of signatures; null if the request has none. */
    rawBody: Buffer | null
  }
}

/** Records a rejected request before the error response is sent. */
type AfterRejection = (asked: { caller: Caller; request: FastifyRequest }, apiError: ApiError) => Promise<void>

export type App = FastifyInstance

/** Default maximum size of a request body, in bytes. */
export const usualBodyBytes = 1024 * 1024

/**
 * Maximum time for a plugin to load, in milliseconds. Fastify's default of 10 s makes the start fail on a busy machine,
 * where plugins share the processor with the database and the engine.
 */
const pluginTimeoutMs = 120_000

/**
 * Pattern of request ids that are accepted from clients: short and plain, so that they are safe in logs and headers.
 */
const plainRequestId = /^[\w.:-]{1,128}$/

export interface AppParts {
  log: FastifyBaseLogger
  callers: Callers
  ofOrganization: Database['ofOrganization']
  answerOnce: IdempotentExecutor
  declarations: Declarations
  tellPlace: DescribeScope
  ownRequests: OwnRequests
  readRights: ReadPermissionFingerprints
  attempts: Attempts
  sessionLife: SessionLife
  metrics: Metrics
  openPage: OpenPage
  sendMessages: App['sendMessages']
  limits: Limits
  /** Origins of other sites whose pages can call the API. */
  corsOrigins?: string[] | undefined
  /** Public URL of the service, if it differs from the address that it listens on. */
  publicUrl?: string | undefined
  /** Addresses or CIDR networks of proxies whose `Forwarded` and `X-Forwarded-*` headers are trusted. */
  trustedProxies?: string[] | undefined
}

/** Creates the HTTP server with the hooks that apply to every route. Routes are added by `handle`. */
export async function createApp(parts: AppParts): Promise<App> {
  const { log, callers, ofOrganization, answerOnce, declarations, attempts, sessionLife } = parts
  const { limits, corsOrigins = [], publicUrl, trustedProxies = [] } = parts
  const upgrades = new Upgrades()
  const app: App = Fastify({
    http: { shouldUpgradeCallback: upgrades.isWanted },
    loggerInstance: log,
    // `logRequests` writes one line per request instead of the two of Fastify.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: usualBodyBytes,
    pluginTimeout: pluginTimeoutMs,
    trustProxy: trustedProxies.length > 0 && trustedProxies,
    // Allows 1 MiB over a slow connection. Without a timeout, a client that sends a byte a minute would occupy a
    // socket.
    requestTimeout: 60_000,
    // The schema rejects a longer path with the standard error body. Headers are limited to 16 KiB anyway.
    routerOptions: { maxParamLength: 16_384 },
    // Requests on open connections are answered during the shutdown: Fastify's 503 lacks the standard error body.
    return503OnClosing: false,
    requestIdHeader: false,
    genReqId: ({ headers }) => {
      const given = headers[requestIdHeader]
      return typeof given === 'string' && plainRequestId.test(given) ? given : newId('req')
    },
    frameworkErrors: replyError,
    clientErrorHandler: replyClientError,
  })
  app.decorate('callers', callers)
  app.decorate('rightsWatch', new PermissionWatcher({ readRights: parts.readRights, callers, log }))
  app.decorate('ownRequests', parts.ownRequests)
  app.decorate('attempts', attempts)
  app.decorate('sessionLife', sessionLife)
  app.decorate('limits', limits)
  app.decorate('metrics', parts.metrics)
  app.decorate('openPage', parts.openPage)
  app.decorate('sendMessages', parts.sendMessages)
  app.decorate('publicOrigin', publicUrl === undefined ? undefined : new URL(publicUrl).origin)
  app.decorate('ofOrganization', ofOrganization)
  app.decorate('answerOnce', answerOnce)
  app.decorate('findScopes', scopesIn(declarations))
  app.decorate('findDependents', dependentsIn(declarations))
  app.decorate('tellPlace', parts.tellPlace)
  app.decorate('afterRejection', new Map<ApiErrorKey, AfterRejection>())
  app.decorate('servedPaths', new ServedPaths())
  app.decorate('upgrades', upgrades)
  upgrades.attach(app)
  endUnusedConnections(app)
  app.decorateRequest('caller', null)
  app.decorateRequest('rawBody', null)
  app.setSerializerCompiler(serializerOf)
  app.setErrorHandler(replyError)
  acceptJson(app)
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(securityHeaders).header(requestIdHeader, request.id)
    done()
  })
  await enableCors(app, corsOrigins)
  // Compressed request bodies are not decompressed: a small one may expand to gigabytes.
  await app.register(compress, { encodings: ['br', 'gzip'], globalDecompression: false })
  // Runs before the body is read, so that an unknown path is a 404 whatever the request contains.
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done()
    const path = pathOf(request)
    const methods = app.servedPaths.methodsOf(path)
    if (methods.length === 0) return done(noSuchPath(path))
    reply.header('allow', methods.join(', '))
    done(new ApiError('methodNotAllowed', `${path} supports ${methods.join(', ')}, not ${request.method}.`))
  })
  app.setNotFoundHandler((request) => {
    throw noSuchPath(pathOf(request)) // the route exists, but the file in its path does not
  })
  return app
}

type Serializer = (data: unknown) => string

/** Serializers by schema. Operations share schemas, and all apps of a process share the serializers. */
const serializers = new WeakMap<Schema, Serializer>()

/**
 * Returns a serializer that is compiled for its first response. Compiling all of them would take a tenth of a start.
 */
function serializerOf({ schema }: { schema: unknown }): Serializer {
  return (data) => serializerFor(schema as Schema)(data)
}

function serializerFor(schema: Schema): Serializer {
  const known = serializers.get(schema)
  if (known) return known
  const made: Serializer = fastJsonStringify(schema)
  serializers.set(schema, made)
  return made
}

const pathOf = ({ url }: FastifyRequest): string => url.split('?', 1)[0] ?? ''

const noSuchPath = (path: string) => new ApiError('routeNotFound', `The path ${path} does not exist.`)
