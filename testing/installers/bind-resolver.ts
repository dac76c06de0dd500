import { createSocket } from 'node:dgram'

// Binds the DNS port of an address in the network namespace that it is started in, and passes the socket to its parent.

const socket = createSocket('udp4')
socket.bind(53, process.argv[2], () => {
  process.send?.('bound', socket, undefined, () => {
    socket.close() // or it would take queries away from the parent
    process.channel?.unref()
  })
})
