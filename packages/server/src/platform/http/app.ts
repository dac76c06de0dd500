import compress from '@fastify/compress'
import type { RefusalKey } from '@sluice/contract'
import fastJsonStringify, { type Schema } from 'fast-json-stringify'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest, LogController } from 'fastify'
import type { Attempts } from '../auth/attempts.ts'
import type { Caller } from '../auth/caller.ts'
import type { Callers } from '../auth/callers.ts'
import { type ReadRights, RightsWatch } from '../auth/rights-watch.ts'
import type { SessionLife } from '../auth/session-cookie.ts'
import type { Database } from '../db/open.ts'
import type { Message } from '../engine/messages.ts'
import { newId } from '../ids.ts'
import type { Limits } from '../limits/limits.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { type Declarations, dependentsIn, type FindDependents, scopesIn } from '../records.ts'
import { acceptJson } from './body.ts'
import { letOrigins, safeguards } from './browsers.ts'
import { ServedPaths } from './connections/served-paths.ts'
import { endUnusedConnections } from './connections/unused-connections.ts'
import { Upgrades } from './connections/upgrades.ts'
import { replyClientError, replyError, requestIdHeader } from './error-reply.ts'
import type { AnswerOnce } from './once.ts'
import type { OwnRequests } from './own-requests.ts'
import type { OpenPage } from './pagination.ts'
import { Refusal } from './refusal.ts'
import type { FindScopes, TellPlace } from './rights.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Who requests come from. */
    callers: Callers
    /** Requests that this process makes of itself. */
    ownRequests: OwnRequests
    /** Ends streams when their reader may no longer read them. */
    rightsWatch: RightsWatch
    /** How often passwords and credentials were wrong. */
    attempts: Attempts
    /** How long sessions live. */
    sessionLife: SessionLife
    /** How much organizations and their keys may take. */
    limits: Limits
    /** What this app counts. */
    metrics: Metrics
    /** Sends messages to the engine; the reconciler sends those again that do not go out. */
    sendMessages(messages: readonly Message[]): Promise<void>
    /** Opens the page of a list that a request asks for. */
    openPage: OpenPage
    /** Our own origin as browsers name it, where it cannot be told from a request. */
    publicOrigin: string | undefined
    /** Does the work of a request at most once under its key. */
    answerOnce: AnswerOnce
    /** The database as one organization sees it. */
    ofOrganization: Database['ofOrganization']
    /** Finds where the records are that a request names. */
    findScopes: FindScopes
    /** Finds what keeps a record from being deleted. */
    findDependents: FindDependents
    /** Says what people call a place, and who can give roles there. */
    tellPlace: TellPlace
    /** What is to be written down of refusals, by their key: what they refused has left nothing behind. */
    afterRefusal: Map<RefusalKey, AfterRefusal>
    /** The paths that are served, so that a wrong method is told from a wrong path. */
    servedPaths: ServedPaths
    /** Requests for a WebSocket. */
    upgrades: Upgrades
  }
  interface FastifyRequest {
    /** Null on routes that anyone may call, and before the caller is known. */
    caller: Caller | null
    /** The body as it came, for signatures; null without one. */
    rawBody: Buffer | null
  }
}

/** Takes note of what somebody was refused, before they are told. */
type AfterRefusal = (asked: { caller: Caller; request: FastifyRequest }, refusal: Refusal) => Promise<void>

export type App = FastifyInstance

/** What a body may weigh where its operation does not say otherwise. */
export const usualBodyBytes = 1024 * 1024

/**
 * How long a plugin may take to load. Fastify's 10 s end the start of a busy machine, on which plugins share the
 * processor with the database and the engine.
 */
const pluginTimeoutMs = 120_000

/** An id from outside is kept if it is short and plain, so that it can be logged and sent back as it is. */
const plainRequestId = /^[\w.:-]{1,128}$/

export interface AppParts {
  log: FastifyBaseLogger
  callers: Callers
  ofOrganization: Database['ofOrganization']
  answerOnce: AnswerOnce
  /** The records of all domains. */
  declarations: Declarations
  tellPlace: TellPlace
  ownRequests: OwnRequests
  readRights: ReadRights
  attempts: Attempts
  sessionLife: SessionLife
  metrics: Metrics
  openPage: OpenPage
  sendMessages: App['sendMessages']
  limits: Limits
  /** Origins of other sites whose pages may call us. */
  corsOrigins?: string[] | undefined
  /** Where people reach this service, if not at the address it listens on. */
  publicUrl?: string | undefined
  /** Proxies whose word on the client's address, host and protocol is taken: addresses, or networks as 10.0.0.0/8. */
  trustedProxies?: string[] | undefined
}

/** The HTTP server, with the rules that hold on every route. Routes are added by `handle`. */
export async function createApp(parts: AppParts): Promise<App> {
  const { log, callers, ofOrganization, answerOnce, declarations, attempts, sessionLife } = parts
  const { limits, corsOrigins = [], publicUrl, trustedProxies = [] } = parts
  const upgrades = new Upgrades()
  const app: App = Fastify({
    http: { shouldUpgradeCallback: upgrades.isWanted },
    loggerInstance: log,
    // Ours say more in one line than these in two: see logRequests.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: usualBodyBytes,
    pluginTimeout: pluginTimeoutMs,
    trustProxy: trustedProxies.length > 0 && trustedProxies,
    // Long enough for 1 MiB over a slow line; without a bound, a client that sends a byte a minute holds a socket.
    requestTimeout: 60_000,
    // A longer path is refused by its schema, with the one error body; headers end at 16 KiB anyway.
    routerOptions: { maxParamLength: 16_384 },
    // Requests on a connection that is open while we stop are answered: its 503 would not be our error body.
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
  app.decorate('rightsWatch', new RightsWatch({ readRights: parts.readRights, callers, log }))
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
  app.decorate('afterRefusal', new Map<RefusalKey, AfterRefusal>())
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
    reply.headers(safeguards).header(requestIdHeader, request.id)
    done()
  })
  await letOrigins(app, corsOrigins)
  // Bodies of requests are taken as they are: a small one may hide gigabytes.
  await app.register(compress, { encodings: ['br', 'gzip'], globalDecompression: false })
  // Before the body is read: an unknown path is a 404 whatever was sent to it.
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done()
    const path = pathOf(request)
    const methods = app.servedPaths.methodsOf(path)
    if (methods.length === 0) return done(noSuchPath(path))
    reply.header('allow', methods.join(', '))
    done(new Refusal('methodNotAllowed', `${path} takes ${methods.join(', ')}, not ${request.method}.`))
  })
  app.setNotFoundHandler((request) => {
    throw noSuchPath(pathOf(request)) // a file that is not there, below a path that is
  })
  return app
}

type Serializer = (data: unknown) => string

/** By their schemas: operations share some, and the apps of a process all. */
const serializers = new WeakMap<Schema, Serializer>()

/** Writes answers as their schema says. Made at the first answer: those of all routes would take a tenth of a start. */
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

const noSuchPath = (path: string) => new Refusal('routeNotFound', `There is no path ${path}.`)
