import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawnCloudSim } from '../../src/index.ts'
import type { Model } from '../../src/model/model.ts'
import type { WireFormat } from '../../src/model/values.ts'
import { services } from '../../src/services.ts'
import { mutationsOf } from './mutations.ts'
import { requestOf, type SerializedRequest } from './requests.ts'
import { example, withoutQuery } from './values.ts'

// Sends a valid request to every simulated operation, and then every invalid variant that its model implies. An
// operation passes if it accepts the valid request and rejects all others. Needs only the data in this repository.

interface Answer {
  status: number
  text: string
}

/** Messages with which services report requests that violate their model. */
const words =
  /validation errors? detected|can not be converted|Expected (list|a structure)|Unrecognized collection|Invalid base64|must contain the parameter/

const directory = mkdtempSync(join(tmpdir(), 'cloud-sim-mutations-'))
const sim = await spawnCloudSim({ stateFile: join(directory, 'state.db'), speed: 1, checksAnswers: true })
const tally = { valid: 0, misjudged: 0, mutations: 0, accepted: 0, passed: 0, failed: 0 }
try {
  for (const [name, { model, protocol, operations }] of Object.entries(services)) {
    for (const operation of operations.keys()) await check(name, operation, model, protocol.form)
  }
} finally {
  await sim.stop()
  rmSync(directory, { recursive: true, force: true })
}
const { valid, misjudged, mutations, accepted, passed, failed } = tally
console.log(`accepted ${accepted} of ${mutations} mutated requests, refused ${misjudged} of ${valid} valid ones`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

/** Checks an operation, which counts as failed if any of its requests has the wrong result. */
async function check(service: string, operation: string, model: Model, form: WireFormat): Promise<void> {
  if (model.operations[operation]?.input === undefined) return
  const before = tally.misjudged + tally.accepted
  await tryOperation(service, operation, model, form)
  if (tally.misjudged + tally.accepted === before) tally.passed += 1
  else tally.failed += 1
}

async function tryOperation(service: string, operation: string, model: Model, form: WireFormat): Promise<void> {
  const at = model.operations[operation]?.input
  if (at === undefined) return
  const input = example(model, at)
  if (typeof input !== 'object' || input === null)
    return misjudge(`${service} ${operation}: no example of a valid request`)
  let fields = input as Record<string, unknown>
  tally.valid += 1
  let good = await send(service, requestOf(model, operation, fields, form))
  if (good.status === 501) {
    // With all query members the request addresses another operation, which is not simulated.
    fields = withoutQuery(model, at, fields)
    good = await send(service, requestOf(model, operation, fields, form))
  }
  if (isRejection(good)) misjudge(`${service} ${operation}: refused ${good.text.slice(0, 300)}`)
  for (const { name, input: wrong } of mutationsOf(model, at, fields, form)) {
    tally.mutations += 1
    const answer = await send(service, requestOf(model, operation, wrong, form))
    if (isRejection(answer)) continue
    tally.accepted += 1
    console.log(`accepted: ${service} ${operation} ${name} (${answer.status} ${answer.text.slice(0, 120)})`)
  }
}

function misjudge(what: string): void {
  tally.misjudged += 1
  console.log(what)
}

function isRejection({ status, text }: Answer): boolean {
  return status === 400 && words.test(text)
}

async function send(service: string, { method, path, headers, body }: SerializedRequest): Promise<Answer> {
  const scope = `20260101/us-east-1/${service}/aws4_request`
  const authorization = `AWS4-HMAC-SHA256 Credential=AKIAMUTATION/${scope}, SignedHeaders=host, Signature=0`
  const answer = await fetch(sim.url + path, {
    method,
    headers: { ...headers, authorization },
    ...(method === 'GET' || method === 'HEAD' ? {} : { body }),
    redirect: 'manual',
  })
  // The response to HEAD has no body, so the status must suffice.
  return { status: answer.status, text: method === 'HEAD' ? 'validation error detected' : await answer.text() }
}
