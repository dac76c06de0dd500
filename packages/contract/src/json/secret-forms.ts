/** Shorter ones are everywhere by chance: hiding every `1` would hide nothing and spoil everything. Characters. */
export const shortestSecret = 4

/**
 * The texts by which a secret is recognized in what is shown: whole, its lines, and each as base64 (wherever it stands
 * in the encoded), hexadecimal, URLs and JSON have it. Whoever has a secret can write it in other ways still.
 */
export function secretForms(secret: string): string[] {
  const lines = secret.split(/\r?\n/).map((line) => line.trim())
  const plain = [secret, ...lines].filter(({ length }) => length >= shortestSecret)
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
 * Base64 turns three bytes into four letters, so the letters of a secret depend on how many bytes stand before it, in
 * one of three ways. A letter that its neighbours have a part in is left out: it is not the same everywhere.
 */
function base64Forms(text: string): string[] {
  const bytes = Buffer.from(text)
  const forms = [0, 1, 2].map((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes])
    return padded.toString('base64').slice(lettersOf(before, Math.ceil), lettersOf(padded.length, Math.floor))
  })
  return forms.filter(({ length }) => length > shortestSecret).flatMap((form) => [form, urlSafe(form)])
}

/** A letter stands for six bits. */
const lettersOf = (bytes: number, rounded: (value: number) => number) => rounded((bytes * 8) / 6)

const urlSafe = (base64: string) => base64.replaceAll('+', '-').replaceAll('/', '_')

function hexForms(text: string): string[] {
  const hex = Buffer.from(text).toString('hex')
  return [hex, hex.toUpperCase()]
}

/** As a component of a URL, in small digits too, and as forms have it. */
function urlForms(text: string): string[] {
  const encoded = encodeURIComponent(text.toWellFormed())
  const forms = [encoded, encoded.replaceAll('%20', '+')]
  return [...forms, ...forms.map((form) => form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))]
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)
