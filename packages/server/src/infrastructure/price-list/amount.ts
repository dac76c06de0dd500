/** An amount of money, exactly: in millionths of the currency. */
export type Amount = bigint

/** The digits after the point that a price may have. */
const places = 6

/** Reads what the pattern of prices lets through. */
export function amountOf(decimal: string): Amount {
  const [whole = '', fraction = ''] = decimal.split('.')
  return BigInt(whole + fraction.padEnd(places, '0'))
}

/** Writes it with two digits after the point, or with as many as it needs. */
export function decimalOf(amount: Amount): string {
  const digits = String(amount < 0n ? -amount : amount).padStart(places + 1, '0')
  const fraction = digits.slice(-places).replace(/0{1,4}$/, '')
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -places)}.${fraction}`
}
