import { spawn } from 'node:child_process'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { NetworkNamespace } from './network.ts'

/** Returns the IPv4 addresses of a name, or undefined if it does not exist. */
export type Lookup = (name: string) => string[] | undefined

/** Starts a DNS server at `address` in this network namespace. */
export async function serveNames(address: string, lookup: Lookup): Promise<Socket> {
  const socket = createSocket('udp4')
  socket.bind(53, address)
  await once(socket, 'listening')
  return answer(socket, lookup)
}

/** Starts a DNS server at 127.0.0.11 in another network namespace, like Docker's resolver. */
export async function serveNamesIn({ path }: NetworkNamespace, lookup: Lookup): Promise<Socket> {
  const program = fileURLToPath(new URL('./bind-resolver.ts', import.meta.url))
  const binder = spawn('nsenter', [`--net=${path}`, process.execPath, program, '127.0.0.11'], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const [, socket] = (await once(binder, 'message')) as [unknown, Socket]
  return answer(socket, lookup)
}

function answer(socket: Socket, lookup: Lookup): Socket {
  return socket.on('message', (query, from) => socket.send(responseTo(query, lookup), from.port, from.address))
}

const noSuchName = 3
const typeA = 1

/** Returns the response to a query with one question, by RFC 1035, section 4. */
export function responseTo(query: Buffer, lookup: Lookup): Buffer {
  const { name, end } = requestedDecision(query)
  const isForA = query.readUInt16BE(end - 4) === typeA
  const found = lookup(name)
  const addresses = isForA ? (found ?? []) : []
  const header = Buffer.alloc(12)
  query.copy(header, 0, 0, 2)
  header.writeUInt16BE(0x8580 | (found ? 0 : noSuchName), 2) // response, authoritative, recursion available
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(addresses.length, 6)
  return Buffer.concat([header, query.subarray(12, end), ...addresses.map(recordOf)])
}

function requestedDecision(query: Buffer): { name: string; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), end: at + 5 }
}

/** Returns an A record for the name in the question, with a TTL of one second. */
function recordOf(address: string): Buffer {
  const record = Buffer.from('c00c00010001000000010004', 'hex')
  return Buffer.concat([record, Buffer.from(address.split('.').map(Number))])
}
