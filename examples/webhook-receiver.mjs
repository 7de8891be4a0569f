// Receives webhooks and accepts only events that Touchstone signed.
// WEBHOOK_SECRET is the secret shown when the endpoint was created; PORT is 3000 by default.
import { createServer } from 'node:http'
import { verifyWebhook, WebhookError } from '@touchstone/sdk/webhooks'

const server = createServer(async (req, res) => {
  const chunks = []
  for await (const chunk of req) chunks.push(chunk)
  try {
    const { event } = await verifyWebhook({
      body: Buffer.concat(chunks),
      headers: req.headers,
      secret: process.env.WEBHOOK_SECRET,
    })
    console.log(`${event.type ?? event.event} ${event.id}`)
    res.writeHead(204).end()
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error
    console.log(`refused: ${error.message}`)
    res.writeHead(400).end()
  }
})

server.listen(Number(process.env.PORT ?? 3000), () => console.log(`port ${server.address().port}`))
