begin end
--> ok

begin select 1; end
--> ok

begin select 1 end
--> PARSE_SYNTAX_ERROR {"error": "end of input", "hint": "", "line": 1, "position": 18}

begin declare x int default 1; set x = x + 1; select x; end
--> ok

begin declare x = 1; if x > 1 then select 1; elseif x = 1 then select 2; else select 3; end if; end
--> ok

begin declare x = 0; while x < 2 do set x = x + 1; end while; end
--> ok

begin declare x = 0; l: loop set x = x + 1; if x > 2 then leave l; end if; iterate l; end loop l; end
--> ok

begin declare x = 0; repeat set x = x + 1; until x > 2 end repeat; end
--> ok

begin for r as select 1 as a do select r.a; end for; end
--> ok

begin case when true then select 1; else select 2; end case; end
--> ok

begin case 1 when 1 then select 1; end case; end
--> ok

begin declare exit handler for sqlexception begin select 1; end; select 2; end
--> ok

begin declare c condition for sqlstate '45001'; declare exit handler for c, not found, sqlstate '22012' select 1; select 2; end
--> ok

begin l1: begin select 1; end l1; end
--> ok

begin l1: begin select 1; end l2; end
--> ok

begin begin select 1; end l2; end
--> ok

begin if true then select 1; end; end
--> PARSE_SYNTAX_ERROR {"error": "';'", "hint": ": missing 'IF'", "line": 1, "position": 32}

begin while true do end while; end
--> PARSE_SYNTAX_ERROR {"error": "'while'", "hint": "", "line": 1, "position": 24}

begin select 1;
--> PARSE_SYNTAX_ERROR {"error": "end of input", "hint": ": missing 'END'", "line": 1, "position": 15}
