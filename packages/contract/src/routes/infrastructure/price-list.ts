import { PriceList } from '../../infrastructure/price-list.ts'
import { dataOf } from '../../values/envelope.ts'
import type { RouteTable } from '../route.ts'

export const priceListRoutes = {
  getPriceList: {
    operationId: 'getPriceList',
    method: 'GET',
    path: '/price-list',
    tag: 'TerraformResources',
    summary: 'Get the price list',
    needs: 'iac-resources:read',
    reply: [200, dataOf(PriceList)],
    refuses: [],
  },
  updatePriceList: {
    operationId: 'updatePriceList',
    method: 'PATCH',
    path: '/price-list',
    tag: 'TerraformResources',
    summary: 'Replace the price list',
    needs: 'price-list:write',
    body: dataOf(PriceList),
    reply: [200, dataOf(PriceList)],
    refuses: [],
  },
} as const satisfies RouteTable
