export const handler = async ({ name = 'world' }) => ({ statusCode: 200, body: `Hello, ${name}!` })
