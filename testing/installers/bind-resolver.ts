import { createSocket } from 'node:dgram'

// Binds the DNS port in its network namespace and passes the socket to its parent.

const socket = createSocket('udp4')
socket.bind(53, process.argv[2], () => {
  process.send?.('bound', socket, undefined, () => {
    socket.close() // otherwise it would receive some of the parent's queries
    process.channel?.unref()
  })
})
