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
    permission: 'iac-resources:read',
    response: [200, dataOf(PriceList)],
    errors: [],
  },
  updatePriceList: {
    operationId: 'updatePriceList',
    method: 'PATCH',
    path: '/price-list',
    tag: 'TerraformResources',
    summary: 'Replace the price list',
    permission: 'price-list:write',
    body: dataOf(PriceList),
    response: [200, dataOf(PriceList)],
    errors: [],
  },
} as const satisfies RouteTable
