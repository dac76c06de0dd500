import type { PriceList } from '@sluice/contract'
import { connect, type UrlOption } from './connect.ts'
import { documentIn } from './fields.ts'
import type { OutputOption } from './output.ts'
import { printAnswer, printer } from './print.ts'

/** Prints the price list in the format of its file. */
export async function showPriceList(wishes: UrlOption & OutputOption): Promise<void> {
  printAnswer((await connect(wishes).getPriceList()).data, wishes)
}

/** Replaces the price list with the contents of a file. */
export async function setPriceList(file: string, wishes: UrlOption & OutputOption): Promise<void> {
  const data = documentIn(file) as PriceList // the service validates it
  const { data: list } = await connect(wishes).updatePriceList({ body: { data } })
  const out = printer(wishes)
  const count = list.prices.length
  out.say(`${count} ${count === 1 ? 'price' : 'prices'} in ${list.currency} from now on`)
  out.record(list)
}
