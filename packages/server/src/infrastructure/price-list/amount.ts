/** Exact amount of money, in millionths of the currency unit. */
export type Amount = bigint

/** Maximum number of decimal places of a price. */
const places = 6

/** Parses a decimal that matches the pattern of prices. */
export function amountOf(decimal: string): Amount {
  const [whole = '', fraction = ''] = decimal.split('.')
  return BigInt(whole + fraction.padEnd(places, '0'))
}

/** Formats an amount with two decimal places, or more if needed. */
export function decimalOf(amount: Amount): string {
  const digits = String(amount < 0n ? -amount : amount).padStart(places + 1, '0')
  const fraction = digits.slice(-places).replace(/0{1,4}$/, '')
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -places)}.${fraction}`
}
