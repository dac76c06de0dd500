import { isIPv4, isIPv6 } from 'node:net'

/** Maximum length of each quoted string in a TXT record ("Supported DNS record types", read 2026-11). */
const maxTextLength = 255

/** Returns Route 53's message if a value is invalid for its record type, or undefined. Pure. */
export function validateRecordValue(type: string, value: string): string | undefined {
  const problem = problemOf(type, value)
  return problem && `Invalid Resource Record: FATAL problem: ${problem} encountered with '${value}'`
}

function problemOf(type: string, value: string): string | undefined {
  switch (type) {
    case 'A':
      return isIPv4(value) ? undefined : 'ARRDATAIllegalIPv4Address (Value is not a valid IPv4 address)'
    case 'AAAA':
      return isIPv6(value) ? undefined : 'AAAARRDATAIllegalIPv6Address (Value is not a valid IPv6 address)'
    case 'TXT':
    case 'SPF':
      return textProblem(value)
    case 'MX':
      return /^\d+\s+\S+$/.test(value) ? undefined : 'MXRRDATANotTwoFields (Value must be a priority and a name)'
    default:
      return undefined
  }
}

function textProblem(value: string): string | undefined {
  if (!/^"(?:[^"\\]|\\.)*"(?:\s+"(?:[^"\\]|\\.)*")*$/.test(value)) {
    return 'InvalidCharacterString (Value should be enclosed in quotation marks)'
  }
  const texts = value.match(/"(?:[^"\\]|\\.)*"/g) ?? []
  const isTooLong = texts.some((text) => text.slice(1, -1).replaceAll(/\\(\d{3}|.)/g, '.').length > maxTextLength)
  return isTooLong ? 'CharacterStringTooLong (Value is too long)' : undefined
}
