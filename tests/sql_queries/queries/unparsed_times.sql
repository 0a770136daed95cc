select to_date('', "yyyy") v
select to_date('0-4-9 7:3:8', "yy-M-d H:m:s") v
select to_date('11:45 P7', "hh:mm a") v
select to_date('11:45PM', "hh:mm a") v
select to_date('151:457 PM', "hh:mm a") v
select to_date('20', "yyyy") v
select to_date('202.0-02-29 13:45:59.123', "yyyy-MM-dd HH:mm:ss.SSS") v
select to_date('2020-02-29 11:45 8M', "yyyy-MM-dd hh:mm a") v
select to_date('2020-02-29 11:458 PM', "yyyy-MM-dd hh:mm a") v
select to_date('2020-04x5', "yyyy-DDD") v
select to_date('2020-2-29 11:45 PM', "yyyy-MM-dd hh:mm a") v
select to_date('2020022913459', "yyyyMMddHHmmss") v
select to_date('2023-02-29 13:45', "yyyy-MM-dd[ HH:mm]") v
select to_date('220', "yyyy") v
select to_date('Feb 9, 02020', "MMM d, yyyy") v
select to_timestamp('', "MMM d, yyyy") v
select to_timestamp('', "yy-M-d H:m:s") v
select to_timestamp('', "yyyy-MM-dd") v
select to_timestamp('02', "MM-dd") v
select to_timestamp('02/29/2', "MM/dd/yy") v
select to_timestamp('11:48 PM', "hh:mm a") v
select to_timestamp('2/29/20', "MM/dd/yy") v
select to_timestamp('20-4-9 7:3:8x', "yy-M-d H:m:s") v
select to_timestamp('2020-02-21 13:45:59.123', "yyyy-MM-dd HH:mm:ss.SSS") v
select to_timestamp('2020-02-29 1145 PM', "yyyy-MM-dd hh:mm a") v
select to_timestamp('2020-02-29', "yyyy-MM-dd") v
select to_timestamp('2020-02-29T13', "yyyy-MM-dd'T'HH:mm:ss") v
select to_timestamp('2020-04 ', "yyyy-DDD") v
select to_timestamp('2020/-02-29T13:45:59', "yyyy-MM-dd'T'HH:mm:ss") v
select to_timestamp('20200229134559:', "yyyyMMddHHmmss") v
select to_timestamp('2021-052', "yyy-MM") v
select to_timestamp('24200229', "yyyyMMdd") v
select to_timestamp('29 March 2020', "dd MMMM yyyy") v
select to_timestamp('29-02-2020 13:45:59.123456', "dd-MM-yyyy HH:mm:ss.SSSSSS") v
select to_timestamp('Feb 9, T2020', "MMM d, yyyy") v
select to_timestamp_ntz('', "yyyyMMddHHmmss") v
select to_timestamp_ntz('02/29/20', "MM/dd/yy") v
select to_timestamp_ntz('11:45 P-', "hh:mm a") v
select to_timestamp_ntz('13:4a5', "HH:mm") v
select to_timestamp_ntz('2', "yyyy-MM-dd") v
select to_timestamp_ntz('20-02-29 13:45:59.123', "yyyy-MM-dd HH:mm:ss.SSS") v
select to_timestamp_ntz('20-4-9 7:', "yy-M-d H:m:s") v
select to_timestamp_ntz('2020', "yyyy-DDD") v
select to_timestamp_ntz('2020-01-29', "yyyy-MM-dd") v
select to_timestamp_ntz('2020-02-2 13:45', "yyyy-MM-dd[ HH:mm]") v
select to_timestamp_ntz('2020-02-29 13:45:59.923', "yyyy-MM-dd HH:mm:ss.SSS") v
select to_timestamp_ntz('2020-02-29T13:45659', "yyyy-MM-dd'T'HH:mm:ss") v
select to_timestamp_ntz('20200229134579', "yyyyMMddHHmmss") v
select to_timestamp_ntz('20205229134559', "yyyyMMddHHmmss") v
select to_timestamp_ntz('2020902-29 11:45 PM', "yyyy-MM-dd hh:mm a") v
select to_timestamp_ntz('230', "yyyy") v
select to_timestamp_ntz('29 8March 2020', "dd MMMM yyyy") v
select to_timestamp_ntz('29-02-2020 13:4:59.123456', "dd-MM-yyyy HH:mm:ss.SSSSSS") v
select to_timestamp_ntz('29-0292020 13:45:59.123456', "dd-MM-yyyy HH:mm:ss.SSSSSS") v
select to_timestamp_ntz('303', "D") v
select to_timestamp_ntz('Feb 9, 2', "MMM d, yyyy") v
select to_timestamp_ntz('Feb0', "MMM d, yyyy") v
select to_timestamp_ntz('T3', "D") v
select to_unix_timestamp('', "yyyy") v
select to_unix_timestamp('02', "MM-dd") v
select to_unix_timestamp('03', "D") v
select to_unix_timestamp('11:45 P1', "hh:mm a") v
select to_unix_timestamp('13:4', "HH:mm") v
select to_unix_timestamp('2', "yy-M-d H:m:s") v
select to_unix_timestamp('202', "yyyy-MM-dd HH:mm:ss.SSS") v
select to_unix_timestamp('2020', "yyyy") v
select to_unix_timestamp('2020-0-29 13:45:59', "yyyy-MM-dd HH:mm:ss") v
select to_unix_timestamp('2020-02-29 13:45.', "yyyy-MM-dd[ HH:mm]") v
select to_unix_timestamp('2020-02-29T163:45:59', "yyyy-MM-dd'T'HH:mm:ss") v
select to_unix_timestamp('2020-02a29', "yyyy-MM-dd") v
select to_unix_timestamp('2020-42-29 13:45', "yyyy-MM-dd[ HH:mm]") v
select to_unix_timestamp('2020022', "yyyyMMdd") v
select to_unix_timestamp('2020022T', "yyyyMMdd") v
select to_unix_timestamp('208200229134559', "yyyyMMddHHmmss") v
select to_unix_timestamp('29 5arch 2020', "dd MMMM yyyy") v
select to_unix_timestamp('29 March 020', "dd MMMM yyyy") v
select to_unix_timestamp('29 March 200', "dd MMMM yyyy") v
select to_unix_timestamp('29 Marh 2020', "dd MMMM yyyy") v
select to_unix_timestamp('29-02x2020 13:45:59.1234', "dd-MM-yyyy HH:mm:ss.SSSSSS") v
select to_unix_timestamp('29002/2020', "dd/MM/yyyy") v
select to_unix_timestamp('33', "D") v
select to_unix_timestamp('9/4/20', "d/M/y") v
select to_unix_timestamp('9/44/2021', "d/M/y") v
select to_unix_timestamp('Feb 9, 2080', "MMM d, yyyy") v
select to_unix_timestamp('Feb 9, 220', "MMM d, yyyy") v
select unix_timestamp(' 2021-02', "yyy-MM") v
select unix_timestamp('', "HH:mm") v
select unix_timestamp('', "yyy-MM") v
select unix_timestamp('02/0a9/20', "MM/dd/yy") v
select unix_timestamp('02/20/20', "MM/dd/yy") v
select unix_timestamp('02/29/', "MM/dd/yy") v
select unix_timestamp('02/29/20', "MM/dd/yy") v
select unix_timestamp('1x:45', "HH:mm") v
select unix_timestamp('2020-02-18 13:45:59.123', "yyyy-MM-dd HH:mm:ss.SSS") v
select unix_timestamp('2020-02-2', "yyyy-MM-dd[ HH:mm]") v
select unix_timestamp('2020-02-29 61:45 PM', "yyyy-MM-dd hh:mm a") v
select unix_timestamp('2020-02-2T13:45:59', "yyyy-MM-dd'T'HH:mm:ss") v
select unix_timestamp('2020-02-39', "yyyy-MM-dd") v
select unix_timestamp('2020-02-6', "yyyy-MM-dd[ HH:mm]") v
select unix_timestamp('2020-020299 11:45 PM', "yyyy-MM-dd hh:mm a") v
select unix_timestamp('2020-05', "yyyy-DDD") v
select unix_timestamp('20206045', "yyyy-DDD") v
select unix_timestamp('2027-075', "yyyy-DDD") v
select unix_timestamp('2120-02-29', "yyyy-MM-dd") v
select unix_timestamp('29702/2620', "dd/MM/yyyy") v
select unix_timestamp('33', "D") v
select unix_timestamp('33-', "D") v
select unix_timestamp('9/4/7', "d/M/y") v
select to_date(s, 'yyyy-MM-dd') from values ('2020-01-01'),('b') t(s)
select to_date(s, 'yyyy-MM-dd') from values ('2020-01-01'),(null) t(s)
select to_timestamp(s, f) from values ('2020-01-01', 'yyyy'),(null,'x'),('a',null) t(s,f)
select to_timestamp(repeat('ab ',40), 'yyyy')
select to_unix_timestamp('x')
select to_date('2019-02-29','yyyy-MM-dd')
select to_date('2020-13-45','yyyy-MM-dd')
select to_timestamp('13:45 PM', 'hh:mm a')
select to_timestamp('2020-12-15 25:10', 'yyyy-MM-dd HH:mm')
select to_timestamp('25:00', 'HH:mm')
select to_timestamp('202002291345659', 'yyyyMMddHHmmss')
