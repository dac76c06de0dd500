/**
 * Minimum length of a secret in characters. Shorter texts occur everywhere by chance: masking every `1` would hide
 * nothing and make logs unreadable.
 */
export const minSecretLength = 4

/**
 * Returns the texts by which a secret is recognized: the whole secret and its lines, each also in base64 at any offset,
 * hexadecimal, URL encoding and JSON. It cannot cover every encoding that a program could use.
 */
export function secretForms(secret: string): string[] {
  const lines = secret.split(/\r?\n/).map((line) => line.trim())
  const plain = [secret, ...lines].filter(({ length }) => length >= minSecretLength)
  const forms = plain.flatMap((text) => [
    text,
    ...base64Forms(text),
    ...hexForms(text),
    ...urlForms(text),
    inJson(text),
  ])
  return [...new Set(forms)]
}

/**
 * Returns the base64 forms of a text. Base64 encodes three bytes as four letters, so there are three forms, depending
 * on the offset. Letters that neighbouring bytes influence are left out.
 */
function base64Forms(text: string): string[] {
  const bytes = Buffer.from(text)
  const forms = [0, 1, 2].map((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes])
    return padded.toString('base64').slice(lettersOf(before, Math.ceil), lettersOf(padded.length, Math.floor))
  })
  return forms.filter(({ length }) => length > minSecretLength).flatMap((form) => [form, urlSafe(form)])
}

/** Converts bytes to base64 letters, which encode six bits each. */
const lettersOf = (bytes: number, rounded: (value: number) => number) => rounded((bytes * 8) / 6)

const urlSafe = (base64: string) => base64.replaceAll('+', '-').replaceAll('/', '_')

function hexForms(text: string): string[] {
  const hex = Buffer.from(text).toString('hex')
  return [hex, hex.toUpperCase()]
}

/** Returns the URL-encoded forms of a text, with lower-case digits too, and its form encoding. */
function urlForms(text: string): string[] {
  const encoded = encodeURIComponent(text.toWellFormed())
  const forms = [encoded, encoded.replaceAll('%20', '+')]
  return [...forms, ...forms.map((form) => form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))]
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)
